# A gRPC client without a proxy on C-core: each line of its input, "TARGET COUNT", is that many calls; it answers with one line of JSON.
import json
import sys

import grpc

channels = {}


def call(target):
    if target not in channels:
        channels[target] = grpc.insecure_channel("xds:///" + target)
    who = channels[target].unary_unary("/test.Who/Who")
    try:
        # C-core works on what the server sends only while a call waits.
        return who(b"", timeout=15, wait_for_ready=True).decode()
    except grpc.RpcError as error:
        return "error %s %s" % (error.code().value[0], error.details())


for line in sys.stdin:
    target, count = line.split()
    answers = {}
    for _ in range(int(count)):
        answer = call(target)
        answers[answer] = answers.get(answer, 0) + 1
    print(json.dumps(answers), flush=True)
