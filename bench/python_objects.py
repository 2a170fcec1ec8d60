"""An ordinary Python program, to be run under profilers: python_objects.py COUNT. JSON, dictionaries, text and sorting."""
import json
import sys


def once(i):
    orders = [{"id": i * 100 + k, "customer": f"customer {k * 7 % 31}", "lines": [{"item": f"item {n}", "count": n, "price": n * 1.25}
                                                                               for n in range(20)]} for k in range(50)]
    text = json.dumps(orders)
    total = {}
    for order in json.loads(text):
        total.setdefault(order["customer"], []).extend(line["price"] * line["count"] for line in order["lines"])
    report = "\n".join(f"{name}: {sum(prices):.2f}" for name, prices in sorted(total.items()))
    words = sorted(set(text.replace('"', " ").split()))
    return len(report) + len(words) + len(bytearray(text, "ascii"))


print(sum(once(i) for i in range(int(sys.argv[1]))))
