import type { Node, PersistentVolume, Pod } from "@pilothouse/api/core/v1"
import type { VolumeAttachment } from "@pilothouse/api/storage/v1"
import { describe, expect, test } from "vitest"
import { operationsOf } from "../service-endpoints/testing/objects.ts"
import { decide, multiAttachMessage } from "./decide.ts"
import { emptyMemory, type NodeMemory } from "./memory.ts"
import type { Elsewhere, Observed, VolumeOnNode } from "./observe.ts"
import { boundVolume, csiNode, inUse, podOn } from "./testing/csi.ts"
import { attachableVolume, attachmentName } from "./volumes.ts"

const now = Date.parse("2026-01-05T09:00:00Z")
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z")
const volume = (name: string, modes?: readonly string[]) => attachableVolume(boundVolume(name, modes)[0] as PersistentVolume)!
const data = volume("data")
const pod = podOn("n1", "data") as Pod

interface NodeState {
  readonly ready?: boolean
  readonly listed?: readonly string[]
  readonly used?: readonly string[]
  readonly taint?: string
}

function node({ ready = true, listed = [], used = [], taint }: NodeState = {}): Node {
  const made = csiNode("n1", { ready }) as Node
  return {
    ...made,
    spec: taint === undefined ? {} : { taints: [{ key: taint, effect: "NoExecute" }] },
    status: { ...made.status, volumesAttached: listed.map((name) => ({ name, devicePath: "" })), volumesInUse: used },
  }
}

function attachment(state: "new" | "attached" | "deleting" | { readonly error: string }, { on = "n1", age = 0 } = {}): VolumeAttachment {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: {
      name: attachmentName(data, on),
      uid: "u",
      creationTimestamp: ago(age),
      ...(state === "deleting" && { deletionTimestamp: ago(0) }),
    },
    spec: { attacher: data.driver, nodeName: on, source: { persistentVolumeName: "data" } },
    status: typeof state === "object" ? { attached: false, attachError: { message: state.error } } : { attached: state !== "new" },
  }
}

interface Row {
  readonly name: string
  readonly node?: Node | undefined
  readonly live?: Node | null
  readonly needed?: boolean
  readonly has?: VolumeAttachment
  readonly elsewhere?: readonly Elsewhere[]
  readonly memory?: Partial<NodeMemory>
  readonly options?: { readonly disableForceDetachOnTimeout: boolean }
  readonly written: readonly string[]
  readonly events?: readonly string[]
  readonly requeue?: number
}

function planned(row: Row) {
  const one: VolumeOnNode = { volume: data, pods: row.needed === false ? [] : [pod], attachment: row.has, elsewhere: row.elsewhere ?? [] }
  const observed: Observed = {
    name: "n1",
    node: "node" in row ? row.node : node(),
    volumes: [one],
    memory: { ...emptyMemory, ...row.memory },
    ...(row.live !== undefined && { live: row.live }),
  }
  const plan = decide(observed, { now, random: undefined as never }, row.options)
  const written = operationsOf(plan)
    .filter((operation) => operation.do !== "remember-volumes")
    .map((operation) => {
      if (operation.do === "patch")
        return `list ${((operation.patch as Node).status?.volumesAttached ?? []).map(({ name }) => name.split("^").pop()).join()}`.trim()
      return operation.do === "remember-forced-detach" ? `count ${(operation as unknown as { cause: string }).cause}` : operation.do
    })
  return { written, events: plan.events.map(({ reason, message }) => `${reason}: ${message}`), requeue: plan.requeue?.after }
}

const name = inUse("data")
const succeeded = 'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "data" '
const other = (state: Parameters<typeof attachment>[0], age = 0): Elsewhere => ({
  node: "n2",
  attachment: attachment(state, { on: "n2", age }),
  pods: [],
})
const multi =
  'FailedAttachVolume: Multi-Attach error for volume "data" Volume is already exclusively attached to one node and can\'t be attached to another'

function run(rows: readonly Row[]): void {
  test.each(rows)("$name", (row) => {
    const { written, events = [], requeue } = row
    expect(planned(row)).toEqual({ written, events, requeue })
  })
}

describe("a volume that a pod needs", () => {
  run([
    { name: "has a VolumeAttachment created", written: ["create"] },
    { name: "waits for the driver, two minutes", has: attachment("new"), written: [], requeue: 120_000 },
    {
      name: "that is attached is listed, with an event for its pods",
      has: attachment("attached"),
      written: ["list data"],
      events: [succeeded],
    },
    { name: "that is listed is left alone", has: attachment("attached"), node: node({ listed: [name] }), written: [] },
    {
      name: "stays listed beside volumes that are not of a CSI driver",
      has: attachment("attached"),
      node: node({ listed: ["kubernetes.io/fc/1", name] }),
      written: [],
    },
    {
      name: "that was attached and is no more is not listed",
      has: attachment("new"),
      node: node({ listed: [name] }),
      written: ["list"],
      requeue: 120_000,
    },
    { name: "whose VolumeAttachment a user deleted gets another one", node: node({ listed: [name] }), written: ["list", "create"] },
    {
      name: "whose VolumeAttachment is being deleted waits",
      has: attachment("deleting"),
      node: node({ listed: [name] }),
      written: ["list"],
    },
    {
      name: "that the driver cannot attach is reported",
      has: attachment({ error: "no such disk" }),
      written: [],
      events: ['FailedAttachVolume: AttachVolume.Attach failed for volume "data" : no such disk'],
    },
    {
      name: "is reported once",
      has: attachment({ error: "no such disk" }),
      memory: { reported: { [name]: ' AttachVolume.Attach failed for volume "data" : no such disk' } },
      written: [],
    },
    {
      name: "that the driver does not attach within two minutes is reported",
      has: attachment("new", { age: 121 }),
      written: [],
      events: [
        'FailedAttachVolume: AttachVolume.Attach failed for volume "data" : timed out waiting for external-attacher of disk.example.com CSI driver to attach volume data',
      ],
    },
  ])
})

describe("a volume for one node", () => {
  run([
    { name: "that another has is not attached", elsewhere: [other("attached")], written: [], events: [multi] },
    {
      name: "that another has is reported once",
      elsewhere: [other("attached")],
      memory: { reported: { [name]: "Multi-Attach" } },
      written: [],
    },
    {
      name: "that another is about to lose is not attached",
      elsewhere: [{ ...other("attached"), attachment: { ...attachment("deleting", { on: "n2" }) } }],
      written: [],
      events: [multi],
    },
    { name: "that another is about to get waits", elsewhere: [other("new", 30)], written: [], requeue: 91_000 },
    { name: "that another has claimed waits", elsewhere: [{ node: "n2", attachment: undefined, pods: [] }], written: [], requeue: 1000 },
    { name: "that another could not get in two minutes is attached", elsewhere: [other("new", 121)], written: ["create"] },
    { name: "that another failed to get is attached", elsewhere: [other({ error: "no" })], written: ["create"] },
  ])
})

describe("a volume that no pod needs", () => {
  const needed = false
  const has = attachment("attached")
  const since = (seconds: number): Partial<NodeMemory> => ({ detachSince: { [name]: now - seconds * 1000 } })
  run([
    { name: "and its node does not use is taken off the list first", needed, has, node: node({ listed: [name] }), written: ["list"] },
    { name: "is deleted once the list and the server agree", needed, has, live: node(), written: ["delete"] },
    { name: "that its kubelet began to use meanwhile is listed again", needed, has, live: node({ used: [name] }), written: ["list data"] },
    {
      name: "of a healthy node that uses it is waited for",
      needed,
      has,
      node: node({ listed: [name], used: [name] }),
      memory: since(1000),
      written: [],
    },
    {
      name: "of an unhealthy node that uses it is waited for, six minutes",
      needed,
      has,
      node: node({ ready: false, listed: [name], used: [name] }),
      memory: since(60),
      written: [],
      requeue: 300_001,
    },
    {
      name: "of an unhealthy node is taken off the list after six minutes",
      needed,
      has,
      node: node({ ready: false, listed: [name], used: [name] }),
      memory: since(361),
      written: ["list"],
    },
    {
      name: "of an unhealthy node is deleted after six minutes",
      needed,
      has,
      node: node({ ready: false, used: [name] }),
      memory: since(361),
      written: ["delete", "count timeout"],
    },
    {
      name: "of an unhealthy node stays where forced detaches are off",
      needed,
      has,
      node: node({ ready: false, listed: [name], used: [name] }),
      memory: since(361),
      options: { disableForceDetachOnTimeout: true },
      written: [],
    },
    {
      name: "of a node out of service is taken off the list at once",
      needed,
      has,
      node: node({ ready: false, listed: [name], used: [name], taint: "node.kubernetes.io/out-of-service" }),
      written: ["list"],
    },
    {
      name: "of a node out of service is deleted at once",
      needed,
      has,
      node: node({ ready: false, used: [name], taint: "node.kubernetes.io/out-of-service" }),
      written: ["delete", "count out-of-service"],
    },
    {
      name: "of a node with another taint is waited for",
      needed,
      has,
      node: node({ listed: [name], used: [name], taint: "example.com/other" }),
      written: [],
    },
    {
      name: "of a node that is gone is waited for, six minutes",
      needed,
      has,
      node: undefined,
      memory: since(60),
      written: [],
      requeue: 300_001,
    },
    {
      name: "of a node that is gone is deleted after six minutes",
      needed,
      has,
      node: undefined,
      memory: since(361),
      written: ["delete", "count timeout"],
    },
    { name: "that was not attached yet is deleted", needed, has: attachment("new"), live: node(), written: ["delete"] },
    { name: "that is being deleted is left alone", needed, has: attachment("deleting"), written: [] },
  ])
})

test("a volume that is to be detached is remembered since when, and one that is needed again is not", () => {
  const memoryOf = (pods: readonly Pod[], memory: NodeMemory) => {
    const observed = {
      name: "n1",
      node: node({ used: [name], listed: [name] }),
      volumes: [{ volume: data, pods, attachment: attachment("attached"), elsewhere: [] }],
      memory,
    }
    const [first] = operationsOf(decide(observed, { now, random: undefined as never }))
    return first?.do === "remember-volumes" ? (first as unknown as { memory: NodeMemory }).memory : undefined
  }
  const waits = { ...emptyMemory, detachSince: { [name]: now } }
  expect(memoryOf([], emptyMemory)).toEqual(waits)
  expect(memoryOf([], waits)).toBeUndefined()
  expect(memoryOf([pod], waits)).toEqual(emptyMemory)
})

test.each([
  { others: [], message: "Volume is already exclusively attached to one node and can't be attached to another" },
  { others: ["default/a", "default/b"], message: "Volume is already used by pod(s) a, b" },
  { others: ["default/a", "shop/b"], message: "Volume is already used by pod(s) a and 1 pod(s) in different namespaces" },
  { others: ["shop/a", "shop/b"], message: "Volume is already used by 2 pod(s) in different namespaces" },
])("pods $others: $message", ({ others, message }) => {
  const all = others.map((key) => podOn("n2", "data", key.split("/")[1], key.split("/")[0]) as Pod)
  expect(multiAttachMessage(pod, all)).toBe(message)
})

test.each([
  { modes: ["ReadWriteOnce"], shared: false },
  { modes: ["ReadWriteOncePod"], shared: false },
  { modes: ["ReadWriteOnce", "ReadOnlyMany"], shared: true },
  { modes: ["ReadWriteMany"], shared: true },
  { modes: [], shared: true },
])("a volume with $modes may be shared: $shared", ({ modes, shared }) => expect(volume("data", modes).isShared).toBe(shared))
