# python: a module on libtimeless and the program; installed where configure found Python.
PYTHON_FOLDER =
if HAVE_PYTHON
timelesspythondir = $(pythondir)/timeless
timelesspython_DATA = python/timeless/__init__.py python/timeless/py.typed
PYTHON_FOLDER += '$(timelesspythondir)'
endif
EXTRA_DIST += python/README.md python/timeless/__init__.py python/timeless/py.typed python/examples/communication.py
