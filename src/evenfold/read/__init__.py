"""The room of readers: from files and tables of other programs to values of this one."""
