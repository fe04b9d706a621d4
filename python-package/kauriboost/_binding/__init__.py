"""All code that uses ctypes: the library, signatures of its calls, errors, handles, and array conversion."""
