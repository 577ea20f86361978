import type { Pod } from "@pilothouse/api/core/v1"
import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { PortState } from "../../drivers/vif/port-status.ts"
import { vifAnnotation } from "../annotations.ts"
import { decideGone, decideVif, settleVif, type VifObserved } from "./decide.ts"

const request = {
  pod: { uid: "u", namespace: "default", name: "web" },
  node: "node1",
  hostIp: "192.168.0.10",
  project: "p",
  network: "n",
  subnets: ["s"],
  groups: [],
}
const quiet: VifObserved = { vif: {}, request, hasPort: false, activeAtOnce: false }
const text = '{"versioned_object.data": {"active": false}, "versioned_object.name": "VIFOpenVSwitch"}'
const written = (active: boolean) => ({ vif: { text, value: { id: "port", active } as never }, hasPort: true })

function podWith(spec: object = {}, status: object = { phase: "Pending" }, metadata: object = {}): Pod {
  const about = { name: "web", namespace: "default", uid: "u", resourceVersion: "7", ...metadata }
  return { apiVersion: "v1", kind: "Pod", metadata: about, spec: { nodeName: "node1", ...spec }, status } as Pod
}

/** A plan in short: what is done, else why nothing is. */
function inShort({ steps, summary, events, requeue }: Plan): string {
  const done = steps.flatMap(({ operations }) => operations.map((one) => one.do))
  const reported = events.map(({ reason }) => reason)
  return [...(done.length > 0 ? done : [summary]), ...reported, ...(requeue === undefined ? [] : [`again ${String(requeue.after)}`])].join(
    ", ",
  )
}

const active = { ...written(false), port: { status: "ACTIVE" } as PortState }
const down = { ...written(false), port: { status: "DOWN" } as PortState }

const present: readonly (readonly [string, Pod, Partial<VifObserved>, string])[] = [
  ["on the network of its node", podWith({ hostNetwork: true }), {}, "the pod uses the network of its node"],
  ["of another controller", podWith(), { skipReason: "not one of ours" }, "not one of ours"],
  ["without a node", podWith({ nodeName: undefined }), {}, "the pod has no node yet"],
  ["that runs without us", podWith({}, { phase: "Running" }), {}, "the pod is Running without us"],
  ["with a node and no port", podWith(), {}, "ensure-port"],
  ["with no status yet", podWith({}, {}), {}, "ensure-port"],
  ["whose VIF is active", podWith(), written(true), "its VIF is active"],
  [
    "whose VIF was copied from another pod",
    podWith({ nodeName: undefined }),
    { ...written(true), isCopied: true },
    "patch, KuryrVifCopied",
  ],
  [
    "whose VIF was copied from another pod, and that runs with it",
    podWith({}, { phase: "Running" }),
    { ...written(true), isCopied: true },
    "its VIF is active",
  ],
  [
    "whose port is gone though its VIF is active",
    podWith({}, { phase: "Running" }),
    { ...written(true), isLost: true },
    "the port port of the pod is gone from the cloud, and with it its network; delete the pod: the next one gets a port of its own, KuryrPortGone",
  ],
  ["whose port is active", podWith(), active, "patch"],
  ["whose port is active, and that runs already", podWith({}, { phase: "Running" }), active, "patch"],
  ["whose port is not active yet", podWith(), down, "the port port is DOWN, again 250"],
  [
    "whose port is not active after 20 s is looked at more rarely",
    podWith(),
    { ...down, waitingFor: 20_000 },
    "the port port is DOWN, again 2000",
  ],
  [
    "whose port is not active after a minute gets an event",
    podWith(),
    { ...down, waitingFor: 61_000 },
    "the port port is DOWN, KuryrPortNotActive, again 6100",
  ],
  ["whose port is gone before it was active", podWith(), written(false), "release-port, patch, KuryrPortGone"],
  ["whose port needs no agent", podWith(), { ...written(false), activeAtOnce: true }, "patch"],
  ["that succeeded", podWith({}, { phase: "Succeeded" }), written(true), "release-port, patch"],
  ["that failed", podWith({}, { phase: "Failed" }), written(true), "release-port, patch"],
  ["that succeeded before its VIF was written", podWith({}, { phase: "Succeeded" }), { hasPort: true }, "release-port"],
  ["that succeeded and has no port", podWith({}, { phase: "Succeeded" }), {}, "the pod is done and has no port"],
  [
    "that succeeded and is going",
    podWith({}, { phase: "Succeeded" }, { deletionTimestamp: "2026-01-05T09:00:00Z" }),
    written(true),
    "release-port",
  ],
  [
    "that succeeded, is going and has given its port back",
    podWith({}, { phase: "Succeeded" }, { deletionTimestamp: "2026-01-05T09:00:00Z" }),
    { ...written(true), hasPort: false },
    "the pod is done and has no port",
  ],
]

describe("a pod", () => {
  test.each(present)("%s", (_, object, more, expected) => {
    const made = decideVif({ type: "modified", key: "default/web", object }, { ...quiet, ...more })
    expect(inShort(made)).toBe(expected)
    for (const { reason } of made.steps.flatMap(({ operations }) => operations)) expect(reason).not.toBe("")
  })

  test("whose VIF cannot be decoded: nothing is overwritten, and the reason is reported", () => {
    const error = new PilothouseError("TERMINAL", "cannot be read")
    const event = { type: "modified" as const, key: "default/web", object: podWith() }
    const made = decideVif(event, { ...quiet, vif: { text, error } })
    expect(inShort(made)).toBe("read-annotation")
    const [operation] = made.steps[0]!.operations
    expect(settleVif(event, quiet, [{ operation: operation!, ok: false, error }]).events).toMatchObject([
      { type: "Warning", reason: "KuryrPortFailed", message: "cannot be read" },
    ])
  })

  test.each([
    ["gives its port back", podWith(), {}, "release-port"],
    ["without an annotation too: its port may be on its way", podWith(), { hasPort: false }, "release-port"],
    ["on the network of its node had none", podWith({ hostNetwork: true }), {}, "the pod used the network of its node"],
    ["of another controller is left alone", podWith(), { skipReason: "not one of ours" }, "not one of ours"],
  ] as const)("that is gone %s", (_, object, more, expected) => {
    expect(inShort(decideGone({ type: "deleted", key: "default/web", object }, { ...quiet, ...more }))).toBe(expected)
  })
})

describe("once a port is asked for", () => {
  const event = { type: "added" as const, key: "default/web", object: podWith() }
  const [operation] = plan().operation({ do: "ensure-port", to: "default/web", reason: "it has none" }).steps[0]!.operations
  const network = { network: { id: "n", name: "pods", mtu: 1450 }, subnets: [] } as never

  test("it is written on the pod as it was seen: its UID and version guard the write", () => {
    const port = { id: "port", mac_address: "fa", status: "DOWN", fixed_ips: [], "binding:vif_details": { bridge_name: "br-int" } }
    const results: readonly Result[] = [{ operation: operation!, ok: true, value: { port } }]
    const made = settleVif(event, { ...quiet, network }, results)
    const [write] = made.steps.flatMap(({ operations }) => operations)
    const metadata = { uid: "u", resourceVersion: "7", annotations: { [vifAnnotation]: expect.stringContaining('"id": "port"') } }
    expect(write).toMatchObject({ do: "patch", patch: { metadata }, tolerate: ["NotFound"] })
  })

  test("reports failures on the pod", () => {
    const results: readonly Result[] = [{ operation: operation!, ok: false, error: new Error("no address left") }]
    expect(settleVif(event, quiet, results).events).toMatchObject([
      { type: "Warning", reason: "KuryrPortFailed", message: "no port for the pod: no address left" },
    ])
  })
})
