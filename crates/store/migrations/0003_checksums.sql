-- From here on chunks may end in a checksum. No table is changed: the number has a program that cannot read them say so.
SELECT 1;
