import type { Container, Pod, PodSpec } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { validatePodUpdate } from "./pod.ts"
import { validatePodSpec } from "./pod-spec.ts"

const gated: PodSpec = { containers: [{ name: "a", image: "a" }], schedulingGates: [{ name: "example.com/wait" }] }
const pod = (spec: PodSpec): Pod => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "default" }, spec })
const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] }

test.each<[name: string, now: Partial<PodSpec>, before: Partial<PodSpec>, refused: boolean]>([
  ["its gates are taken away", { schedulingGates: undefined }, {}, false],
  [
    "its gates are taken away, and it has affinity",
    { schedulingGates: undefined, affinity: { nodeAffinity } },
    { affinity: { nodeAffinity } },
    false,
  ],
  ["it is given another node selector while it is held back", { nodeSelector: { disk: "ssd" } }, {}, false],
  ["it is given affinity to nodes while it is held back", { affinity: { nodeAffinity } }, {}, false],
  ["it is given affinity to pods", { affinity: { podAffinity: {} } }, {}, true],
  ["its affinity to pods is taken away", {}, { affinity: { podAffinity: {} } }, true],
  ["it is given one more gate", { schedulingGates: [{ name: "example.com/wait" }, { name: "example.com/more" }] }, {}, true],
])("a gated pod: %s", (_name, now, before, refused) => {
  const errors = validatePodUpdate(pod({ ...gated, ...now }), pod({ ...gated, ...before }))
  expect(errors.length > 0).toBe(refused)
})

const appArmor = "container.apparmor.security.beta.kubernetes.io/a"
const mirror = "kubernetes.io/config.mirror"

test.each<[now: Record<string, string>, before: Record<string, string>, refused: readonly string[]]>([
  [{ [mirror]: "x" }, {}, [`metadata.annotations[${mirror}]: Forbidden: may not add mirror pod annotation`]],
  [{ [mirror]: "y" }, { [mirror]: "x" }, [`metadata.annotations[${mirror}]: Forbidden: may not remove or update mirror pod annotation`]],
  [{}, { [appArmor]: "x" }, [`metadata.annotations[${appArmor}]: Forbidden: may not remove or update AppArmor annotations`]],
  [{ [appArmor]: "unconfined" }, {}, [`metadata.annotations[${appArmor}]: Forbidden: may not add AppArmor annotations`]],
  [{ [mirror]: "x", [appArmor]: "y", other: "new" }, { [mirror]: "x", [appArmor]: "y", gone: "z" }, []],
])("annotations %j in place of %j", (now, before, refused) => {
  const annotated = (annotations: Record<string, string>): Pod => ({ ...pod(gated), metadata: { name: "a", annotations } })
  const errors = validatePodUpdate(annotated(now), annotated(before))
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(refused)
})

test.each<[name: string, spec: Partial<PodSpec>, refused: readonly string[]]>([
  ["the same port of two protocols or addresses", { containers: [on(80), on(80, "UDP"), on(80, "TCP", "10.0.0.1")] }, []],
  ["one port twice", { containers: [on(80), on(80)] }, ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"']],
  ["init containers, which run one after the other", { initContainers: [on(80), on(80)] }, []],
  [
    "one init container with one port twice",
    {
      initContainers: [
        on(1),
        {
          ...on(80),
          ports: [
            { containerPort: 1, hostPort: 80 },
            { containerPort: 2, hostPort: 80 },
          ],
        },
      ],
    },
    ['spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//80"'],
  ],
])("ports of the host: %s", (_name, spec, refused) => {
  const named = <T extends { name: string }>(list: readonly T[], prefix: string) =>
    list.map((one, at) => ({ ...one, name: `${prefix}${at}` }))
  const containers = named(spec.containers ?? [on(9)], "c")
  const initContainers = named(spec.initContainers ?? [], "i")
  const defaults = { restartPolicy: "Always", dnsPolicy: "ClusterFirst", terminationGracePeriodSeconds: 30 } as const
  const errors = validatePodSpec({ ...defaults, containers, initContainers }, "spec")
  expect(errors.filter(({ field }) => field.includes("hostPort")).map(({ field, message }) => `${field}: ${message}`)).toEqual(refused)
})

function on(hostPort: number, protocol: "TCP" | "UDP" = "TCP", hostIP = ""): Container {
  return { name: "c", image: "i", ports: [{ containerPort: hostPort, hostPort, protocol, hostIP }] }
}

test("a refusal shows what was changed, as Go has it in memory (seen)", () => {
  const before: PodSpec = { containers: [{ name: "a", image: "a" }], hostname: "x", securityContext: {} }
  const [refused] = validatePodUpdate(pod({ ...before, hostname: "<y>", hostNetwork: true }), pod(before))
  expect(refused?.message).toContain("pod updates may not change fields other than `spec.containers[*].image`,")
  const lines = refused?.message.split("\n") ?? []
  expect(lines.filter((line) => /^[-+]/.test(line))).toEqual([
    '-  "HostNetwork": false,',
    '+  "HostNetwork": true,',
    '- "Hostname": "x",',
    String.raw`+ "Hostname": "\u003cy\u003e",`,
  ])
  expect(lines[1]).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@$/)
})

test("a list or map that was sent empty is shown as empty, and one that was not as null (seen)", () => {
  const before: PodSpec = { containers: [{ name: "a", image: "a" }], securityContext: {}, tolerations: [{ key: "k" }] }
  const now: PodSpec = { ...before, hostNetwork: true }
  const given = {
    spec: {
      volumes: [],
      initContainers: [],
      nodeSelector: {},
      imagePullSecrets: [],
      tolerations: [],
      securityContext: { sysctls: [] },
      containers: [{ name: "a", image: "a", command: [], env: [], resources: { limits: {} } }],
    },
  }
  const [refused] = validatePodUpdate(pod(now), pod(before), given)
  expect(refused?.message.split("\n").filter((line) => line.startsWith("+"))).toEqual([
    '+ "Volumes": [],',
    '+   "Command": [],',
    '+   "Env": [],',
    '+    "Limits": {},',
    '+    "Requests": {},',
    '+ "NodeSelector": {},',
    '+  "HostNetwork": true,',
    '+  "Sysctls": [],',
    '+ "ImagePullSecrets": [],',
  ])
})

test.each([undefined, null, {}, { spec: null }, { spec: { containers: null } }, { spec: { containers: [null] } }])(
  "a request that says little breaks nothing: %j",
  (given) => {
    const before: PodSpec = { containers: [{ name: "a", image: "a" }], securityContext: {} }
    expect(validatePodUpdate(pod({ ...before, hostname: "b" }), pod(before), given)).toHaveLength(1)
  },
)
