import type { Container, Pod, PodSpec } from "@pilothouse/api/core/v1"
import { configMaps, events, pods, secrets } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { environmentFault, type FindKeys, volumeFault } from "./references.ts"

const there: Readonly<Record<string, readonly string[]>> = { "ConfigMap default/c": ["a"], "Secret default/s": ["b"] }
const find: FindKeys = (kind, key) => {
  const text = there[`${kind} ${key}`]
  return text && { text, binary: ["logo"] }
}

function pod(container: Partial<Container>, spec: Partial<PodSpec> = {}): Pod {
  const containers = [{ name: "main", image: "example/web", ...container }]
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default" }, spec: { ...spec, containers } }
}

const fromKey = (ref: "configMapKeyRef" | "secretKeyRef", name: string, key: string, optional?: boolean): Partial<Container> => ({
  env: [{ name: "X", valueFrom: { [ref]: { name, key, optional } } }],
})

test.each<[what: string, container: Partial<Container>, fault: string | undefined]>([
  ["nothing", {}, undefined],
  ["a value", { env: [{ name: "X", value: "y" }] }, undefined],
  ["keys that are there", { env: [...fromKey("configMapKeyRef", "c", "a").env!, ...fromKey("secretKeyRef", "s", "b").env!] }, undefined],
  ["a ConfigMap that is not", fromKey("configMapKeyRef", "none", "a"), 'configmap "none" not found'],
  ["a Secret that is not", fromKey("secretKeyRef", "none", "a"), 'secret "none" not found'],
  ["a key that is not", fromKey("configMapKeyRef", "c", "b"), "couldn't find key b in ConfigMap default/c"],
  ["a key of a Secret that is not", fromKey("secretKeyRef", "s", "a"), "couldn't find key a in Secret default/s"],
  ["a key that is no text", fromKey("configMapKeyRef", "c", "logo"), "couldn't find key logo in ConfigMap default/c"],
  ["what need not be", fromKey("configMapKeyRef", "none", "a", true), undefined],
  ["all of what is there", { envFrom: [{ configMapRef: { name: "c" } }, { secretRef: { name: "s" } }] }, undefined],
  ["all of what is not", { envFrom: [{ secretRef: { name: "none" } }] }, 'secret "none" not found'],
  ["all of what need not be", { envFrom: [{ configMapRef: { name: "none", optional: true } }] }, undefined],
])("an environment of %s", (_what, container, fault) => {
  const asked = pod(container)
  expect(environmentFault(asked, asked.spec!.containers[0]!, find)).toBe(fault)
})

test.each<[what: string, volume: object, fault: string | undefined]>([
  ["a directory", { emptyDir: {} }, undefined],
  ["a ConfigMap that is there", { configMap: { name: "c", items: [{ key: "a", path: "a" }] } }, undefined],
  ["a file that is no text", { configMap: { name: "c", items: [{ key: "logo", path: "a" }] } }, undefined],
  ["one that is not", { configMap: { name: "none" } }, 'MountVolume.SetUp failed for volume "v" : configmap "none" not found'],
  ["one that need not be", { configMap: { name: "none", optional: true } }, undefined],
  ["a Secret that is not there", { secret: { secretName: "none" } }, 'MountVolume.SetUp failed for volume "v" : secret "none" not found'],
  [
    "a key that is not there",
    { secret: { secretName: "s", items: [{ key: "a", path: "a" }] } },
    'MountVolume.SetUp failed for volume "v" : references non-existent secret key: a',
  ],
  ["the cluster's authority", { projected: { sources: [{ configMap: { name: "kube-root-ca.crt" } }] } }, undefined],
  [
    "what is projected and not there",
    { projected: { sources: [{ configMap: { name: "c" } }, { secret: { name: "none" } }] } },
    'MountVolume.SetUp failed for volume "v" : secret "none" not found',
  ],
])("a volume of %s", (_what, volume, fault) => {
  expect(volumeFault(pod({}, { volumes: [{ name: "v", ...volume }] }), find)).toBe(fault)
})

const settings = (data: Record<string, string>) =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default" }, data }) as const
const token = { apiVersion: "v1", kind: "Secret", metadata: { name: "token", namespace: "default" }, data: { a: "YQ==" } } as const

async function stateOf(running: Cluster) {
  const { status } = await running.client.get(pods, "default/web")
  const { state, restartCount } = status?.containerStatuses?.[0] ?? {}
  return { phase: status?.phase, waiting: state?.waiting, restartCount }
}

async function said(running: Cluster): Promise<readonly string[]> {
  return (await running.list(events)).filter(({ type }) => type === "Warning").map(({ reason, message }) => `${reason} ${message}`)
}

describe("a pod", () => {
  test("whose environment refers to what is not there waits for it, and says for what", async () => {
    await using running = await cluster({ controllers: [], kubeletEvents: true })
    await running.apply(pod(fromKey("configMapKeyRef", "settings", "colour")))
    await running.settled()
    const reason = "CreateContainerConfigError"
    expect(await stateOf(running)).toMatchObject({ phase: "Pending", waiting: { reason, message: 'configmap "settings" not found' } })
    await running.apply(settings({ size: "large" }))
    await running.settled()
    const message = "couldn't find key colour in ConfigMap default/settings"
    expect(await stateOf(running)).toMatchObject({ phase: "Pending", waiting: { reason, message } })
    await running.apply(settings({ colour: "blue" }))
    await running.settled()
    expect(await stateOf(running)).toMatchObject({ phase: "Running", waiting: undefined, restartCount: 0 })
    await running.advance("1s")
    expect((await said(running)).toSorted()).toEqual(['Failed Error: configmap "settings" not found', `Failed Error: ${message}`])
  })

  test("that runs goes on without it, and needs it again when it is started again", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(settings({ colour: "blue" }))
    const says = { "pilothouse.dev/run-time": "60s" }
    const web = pod(fromKey("configMapKeyRef", "settings", "colour"))
    await running.apply({ ...web, metadata: { ...web.metadata, annotations: says } })
    await running.settled()
    await running.client.delete(configMaps, "default/settings")
    await running.advance("30s")
    expect(await stateOf(running)).toMatchObject({ phase: "Running", waiting: undefined })
    await running.advance("40s")
    expect(await stateOf(running)).toMatchObject({ waiting: { reason: "CreateContainerConfigError" } })
    await running.apply(settings({ colour: "green" }))
    await running.settled()
    expect(await stateOf(running)).toMatchObject({ phase: "Running", waiting: undefined, restartCount: 1 })
  })

  test("that waited long for it is not said to have crashed for as long", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(settings({ colour: "blue" }))
    const web = pod(fromKey("configMapKeyRef", "settings", "colour"))
    await running.apply({ ...web, metadata: { ...web.metadata, annotations: { "pilothouse.dev/run-time": "20s" } } })
    await running.settled()
    await running.client.delete(configMaps, "default/settings")
    await running.advance("200s")
    await running.apply(settings({ colour: "green" }))
    await running.advance("21s")
    expect((await stateOf(running)).waiting?.message).toMatch(/^back-off 10s restarting/)
  })

  test("gets an event for each missing volume, one after the other", async () => {
    await using running = await cluster({ controllers: [], kubeletEvents: true })
    const volumes = [
      { name: "v", configMap: { name: "settings" } },
      { name: "w", secret: { secretName: "token" } },
    ]
    await running.apply(pod({}, { volumes }))
    await running.advance("1s")
    await running.apply(settings({ colour: "blue" }))
    await running.advance("1s")
    expect((await said(running)).toSorted()).toEqual([
      'FailedMount MountVolume.SetUp failed for volume "v" : configmap "settings" not found',
      'FailedMount MountVolume.SetUp failed for volume "w" : secret "token" not found',
    ])
    await running.apply(token)
    await running.settled()
    expect(await stateOf(running)).toMatchObject({ phase: "Running", waiting: undefined })
  })

  test("whose volume refers to a missing object is not started, and an event says why", async () => {
    await using running = await cluster({ controllers: [], kubeletEvents: true })
    await running.apply(pod({}, { volumes: [{ name: "v", secret: { secretName: "token" } }] }))
    await running.advance("1m")
    expect(await stateOf(running)).toMatchObject({ phase: "Pending", waiting: { reason: "ContainerCreating" } })
    expect(await said(running)).toEqual(['FailedMount MountVolume.SetUp failed for volume "v" : secret "token" not found'])
    await running.apply(token)
    await running.settled()
    expect(await stateOf(running)).toMatchObject({ phase: "Running", waiting: undefined })
    await running.client.delete(secrets, "default/token")
    await running.advance("1m")
    expect(await stateOf(running)).toMatchObject({ phase: "Running", waiting: undefined })
  })
})
