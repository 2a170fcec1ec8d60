/* web_assets.S - the web page, as the build has put it together (Makefile, cli/web/embed.awk). */
    .section .rodata
    .global web_page_start
    .hidden web_page_start
    .global web_page_end
    .hidden web_page_end
web_page_start:
    .incbin "page.html"
web_page_end:
    .byte 0

    .section .note.GNU-stack,"",%progbits
