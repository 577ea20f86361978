import type { Node, Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { podAddresses } from "./decide.ts"
import { simulatedNode } from "./node/simulated-node.ts"

type Phase = NonNullable<Pod["status"]>["phase"]

function pod(podIP: string, phase: Phase = "Running"): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: podIP }, status: { phase, podIP } }
}

/** What the next pods get: "host" for one that is a process. */
function given(pods: readonly Pod[], wanted: readonly ("host" | "pod")[], node: Node = simulatedNode(1)): readonly (string | undefined)[] {
  const addresses = podAddresses({ node, pods })
  return wanted.map((which) => addresses.next(which === "host"))
}

describe("addresses of a node", () => {
  test("are of its own block", () => {
    expect(given([], ["pod", "pod"])).toEqual(["10.244.1.1", "10.244.1.2"])
    expect(given([], ["pod"], simulatedNode(300))).toEqual(["10.245.44.1"])
    expect(given([], ["pod"], { ...simulatedNode(1), spec: { podCIDR: "192.168.7.0/24" } })).toEqual(["192.168.7.1"])
  })

  test("of processes are those of this host, no two alike on any two nodes", () => {
    expect(given([], ["host", "host"])).toEqual(["127.116.1.1", "127.116.1.2"])
    expect(given([], ["host"], simulatedNode(2))).toEqual(["127.116.2.1"])
    expect(given([], ["host"], simulatedNode(300))).toEqual(["127.117.44.1"])
  })

  test.each<[string, readonly Pod[], string]>([
    ["of a pod is taken for a process too", [pod("10.244.1.1")], "127.116.1.2"],
    ["of a process is taken for the next process", [pod("127.116.1.1")], "127.116.1.2"],
    ["of one that has finished is free", [pod("127.116.1.1", "Succeeded"), pod("127.116.1.2")], "127.116.1.1"],
  ])("one %s", (_name, pods, expected) => {
    expect(given(pods, ["host"])).toEqual([expected])
  })

  test("of a process is taken for the next pod too", () => {
    expect(given([pod("127.116.1.1")], ["pod"])).toEqual(["10.244.1.2"])
  })
})
