"""Sections of measure_gpu.py: each module lists what it measures as jobs, which measure_gpu.py runs one by one."""
