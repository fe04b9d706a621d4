"""Everything that knows ctypes: the library, the signatures of its calls, errors, handles, and arrays in and out."""
