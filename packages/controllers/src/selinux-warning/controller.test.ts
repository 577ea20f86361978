import type { KubeObject } from "@pilothouse/api"
import { events, pods } from "@pilothouse/api/core/v1"
import { csiDrivers } from "@pilothouse/api/storage/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { boundVolume, driver } from "../attach-detach/testing/csi.ts"

const only = { nodes: 0, controllers: ["selinux-warning-controller", "persistentvolume-binder"] }
const gauge = "selinux_warning_controller_selinux_volume_conflict"

interface PodOptions {
  readonly level?: string
  readonly policy?: "Recursive"
  readonly claim?: string
  readonly source?: object
  /** Of a second container, with the same volume. */
  readonly otherLevel?: string
}

function pod(name: string, { level, policy, claim = "data", source, otherLevel }: PodOptions = {}): KubeObject {
  const volumeMounts = [{ name: "v", mountPath: "/v" }]
  const other = { name: "b", image: "b", volumeMounts, securityContext: { seLinuxOptions: { level: otherLevel } } }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      securityContext: {
        ...(level !== undefined && { seLinuxOptions: { level } }),
        ...(policy && { seLinuxChangePolicy: policy }),
      },
      containers: [{ name: "a", image: "a", volumeMounts }, ...(otherLevel === undefined ? [] : [other])],
      volumes: [{ name: "v", ...(source ?? { persistentVolumeClaim: { claimName: claim } }) }],
    },
  } as KubeObject
}

function driverObject(seLinuxMount: boolean): KubeObject {
  return { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: driver }, spec: { seLinuxMount } } as KubeObject
}

async function stage(...objects: readonly KubeObject[]): Promise<Cluster> {
  const running = await cluster(only)
  for (const object of [driverObject(true), ...boundVolume("data"), ...objects]) await running.apply(object)
  return running
}

/** "pod: Reason ×count", sorted. */
async function reported(running: Cluster): Promise<readonly string[]> {
  await running.advance("20s")
  const found = (await running.list(events)).filter(({ source }) => source?.component === "selinux_warning")
  return found.map(({ involvedObject, reason, count, type }) => `${involvedObject.name}: ${type} ${reason} ×${count}`).toSorted()
}

const bothLabels = ["one: Normal SELinuxLabelConflict ×1", "two: Normal SELinuxLabelConflict ×1"]
const bothPolicies = ["one: Normal SELinuxChangePolicyConflict ×1", "two: Normal SELinuxChangePolicyConflict ×1"]
const iscsi = { iscsi: { targetPortal: "10.0.0.7", iqn: "iqn.2026-01.example:disk", lun: 0 } }

test.each<[name: string, objects: readonly KubeObject[], expected: readonly string[]]>([
  ["one pod", [pod("one", { level: "s0" })], []],
  ["a pod whose claim is not there", [pod("one", { level: "s0", claim: "none" }), pod("two", { level: "s1" })], []],
  ["two pods with the same label", [pod("one", { level: "s0" }), pod("two", { level: "s0" })], []],
  ["two pods with different labels", [pod("one", { level: "s0" }), pod("two", { level: "s1" })], bothLabels],
  [
    "two pods that relabel recursively",
    [pod("one", { level: "s0", policy: "Recursive" }), pod("two", { level: "s1", policy: "Recursive" })],
    [],
  ],
  [
    "a pod that relabels recursively beside one that does not",
    [pod("one", { level: "s0", policy: "Recursive" }), pod("two", { level: "s1" })],
    [...bothLabels, ...bothPolicies].toSorted(),
  ],
  ["two pods without labels", [pod("one"), pod("two")], []],
  [
    "two pods with a volume of the network",
    [pod("one", { level: "s0", source: iscsi }), pod("two", { level: "s1", source: iscsi })],
    bothLabels,
  ],
  [
    "two pods with volumes of their own",
    [pod("one", { level: "s0", source: { emptyDir: {} } }), pod("two", { level: "s1", source: { emptyDir: {} } })],
    [],
  ],
  [
    "a pod that mounts a volume with two labels",
    [pod("one", { level: "s0", otherLevel: "s1" })],
    ["one: Warning MultipleSELinuxLabels ×1"],
  ],
])("%s", async (_name, objects, expected) => {
  await using running = await stage(...objects)
  expect(await reported(running)).toEqual(expected)
})

test("a conflict is reported once, and ends with one of its pods", async () => {
  const metrics = memoryMetrics()
  await using running = await cluster({ ...only, needs: { metrics } })
  for (const object of [driverObject(true), ...boundVolume("data"), pod("one", { level: "s0" }), pod("two", { level: "s1" })])
    await running.apply(object)
  expect(await reported(running)).toEqual(bothLabels)
  const [one, two] = ["default", "default"]
  const labels = {
    property: "SELinuxLabel",
    pod1_namespace: one,
    pod1_name: "one",
    pod1_value: ":::s0",
    pod2_namespace: two,
    pod2_name: "two",
  }
  expect(metrics.value(gauge, { ...labels, pod2_value: ":::s1" })).toBe(1)
  await running.client.patch(pods, "default/one", { metadata: { labels: { changed: "yes" } } })
  await running.client.patch(pods, "default/two", { status: { phase: "Succeeded" } }, { subresource: "status" })
  expect(await reported(running)).toEqual(bothLabels)
  expect(metrics.text()).not.toContain(`${gauge}{`)
  await running.apply(pod("three", { level: "s0" }))
  expect(await reported(running)).toEqual(bothLabels)
})

test("pods of a driver are compared when it begins to support labels", async () => {
  await using running = await cluster(only)
  const policies = [pod("one", { level: "s0" }), pod("two", { level: "s1" })]
  for (const object of [driverObject(false), ...boundVolume("data"), ...policies]) await running.apply(object)
  expect(await reported(running)).toEqual([])
  await running.client.patch(csiDrivers, driver, { spec: { seLinuxMount: true } })
  // The first of them differs from the other as it was before, too.
  expect(await reported(running)).toEqual([...bothLabels, ...bothLabels, ...bothPolicies].toSorted())
})

test("pods wait for their claim to be bound", async () => {
  await using running = await cluster(only)
  for (const object of [driverObject(true), pod("one", { level: "s0" }), pod("two", { level: "s1" })]) await running.apply(object)
  expect(await reported(running)).toEqual([])
  for (const object of boundVolume("data")) await running.apply(object)
  expect(await reported(running)).toEqual(bothLabels)
})
