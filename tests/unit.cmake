# The unit tests of the library.
