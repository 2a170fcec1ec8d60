// What RESP looks like.
static const char set[] = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\n";
const char *const fuzz_seeds[] = {set,
                                  "*1\r\n$4\r\nPING\r\n",
                                  "*0\r\n*2\r\n$3\r\nGET\r\n$0\r\n\r\n",
                                  "PING\r\nSET \"a\\x41\\n\" 'b\\''\r\n",
                                  "*-1\r\n*10\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\ne\r\n$1\r\nf\r\n"
                                  "$1\r\ng\r\n$1\r\nh\r\n$1\r\ni\r\n$1\r\nj\r\n",
                                  "*2\r\n$3\r\nGET\r\n$12\r\n\r\n*1\r\n$1\r\nx\r\r\n",
                                  "*1\r\n:5\r\n",
                                  "*1\r\n*1\r\n$1\r\na\r\n",
                                  "$5\r\nhello\r\n",
                                  NULL};
const char *const fuzz_words[] = {"\r\n", "\r", "\n", "$", "*", "$-1\r\n", "*-1\r\n", "$0\r\n\r\n", "$536870912\r\n",
                                  "$536870913\r\n", "*1048576\r\n", "*1048577\r\n", "99999999999999999999", "\"", "'",
                                  "\\x", "\\", " ", "\t", ":1\r\n", "+OK\r\n", "$4097\r\n", "$4096\r\n", NULL};
