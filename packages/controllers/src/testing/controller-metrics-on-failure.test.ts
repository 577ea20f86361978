import { forbidden, type KubeObject, serviceUnavailable } from "@pilothouse/api"
import type { PodFailurePolicyRule } from "@pilothouse/api/batch/v1"
import { nodes, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Labels, memoryMetrics } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { boundVolume, csiNode, externalAttacher, inUse, podOn, volumeReporter } from "../attach-detach/testing/csi.ts"
import { end, livePods, work } from "../job/testing/cluster.ts"
import { claim, newFiles, withVolumes } from "../persistent-volume/testing/cluster.ts"
import { isDefault, storageClass } from "../persistent-volume/testing/objects.ts"
import { broken, memoryPlugin } from "../persistent-volume/testing/plugin.ts"
import { poolStatusVersion, statusRequest } from "../resource-pool-status-request/testing/objects.ts"
import { selinuxWarningFamilies } from "../selinux-warning/controller.ts"
import { held, refusing } from "./layers.ts"

/** A cluster of one controller or two, and their metrics. */
async function watched({ needs, ...options }: ClusterOptions) {
  const metrics = memoryMetrics()
  const running = await cluster({ ...options, needs: { ...needs, metrics } })
  return { running, metric: (name: string, labels: Labels = {}) => metrics.value(name, labels), text: () => metrics.text() }
}

function object(apiVersion: string, kind: string, spec: object, name = "web"): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: "default" }, spec } as KubeObject
}

const labelled = { selector: { matchLabels: { app: "web" } } }
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "example/web" }] } }

describe("a reconcile that is postponed because the cache does not show what the controller wrote, by what the cache holds", () => {
  test.each<[controller: string, family: string, made: KubeObject]>([
    ["replicaset", "replicaset_controller_stale_sync_skips_total", object("apps/v1", "ReplicaSet", { replicas: 2, ...labelled, template })],
    [
      "statefulset",
      "statefulset_controller_stale_sync_skips_total",
      object("apps/v1", "StatefulSet", { replicas: 2, serviceName: "web", ...labelled, template }),
    ],
    ["daemonset", "daemonset_controller_stale_sync_skips_total", object("apps/v1", "DaemonSet", { ...labelled, template })],
    ["job", "job_controller_stale_sync_skips_total", work({ completions: 2 })],
  ])("%s: pods", async (controller, family, made) => {
    const late = held("pods")
    const { running, metric } = await watched({ controllers: [controller], layer: late.layer })
    await using _ = running
    await running.settled()
    late.hold()
    await running.apply(made)
    await running.settled()
    const annotations = { changed: "while the cache is late" }
    await running.apply({ ...made, metadata: { ...made.metadata, annotations } })
    await running.advance("110s")
    expect(metric(family, { group: "", resource: "pods" })).toBe(0)
    await running.advance("15s")
    expect(metric(family, { group: "", resource: "pods" })).toBe(1)
    late.release()
  })

  test("horizontal-pod-autoscaler: its own objects", async () => {
    const late = held("horizontalpodautoscalers")
    const { running, metric } = await watched({ controllers: ["horizontal-pod-autoscaler"], layer: late.layer })
    await using _ = running
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
    await running.apply(object("autoscaling/v2", "HorizontalPodAutoscaler", { scaleTargetRef, maxReplicas: 3 }))
    await running.settled()
    late.hold()
    await running.apply(object("apps/v1", "Deployment", { replicas: 1, ...labelled, template }))
    await running.advance("150s")
    const about = { group: "autoscaling", resource: "horizontalpodautoscalers" }
    expect(metric("horizontal_pod_autoscaler_controller_stale_sync_skips_total", about)).toBe(1)
    late.release()
  })

  test("endpointslice: a reconcile with the result stale", async () => {
    const late = held("endpointslices")
    const { running, metric } = await watched({ controllers: ["endpointslice"], layer: late.layer })
    await using _ = running
    await running.settled()
    late.hold()
    await running.apply(object("v1", "Service", { selector: { app: "web" }, ports: [{ port: 80 }] }))
    await running.settled()
    await running.apply(object("v1", "Service", { selector: { app: "other" }, ports: [{ port: 81 }] }))
    await running.advance("125s")
    expect(metric("endpoint_slice_controller_syncs", { result: "stale" })).toBe(1)
    late.release()
  })
})

describe("job", () => {
  const rule = (action: PodFailurePolicyRule["action"], code: number) => ({
    action,
    onExitCodes: { operator: "In" as const, values: [code] },
  })

  /** A pod of the Job ends with this code. */
  async function ending(running: Cluster, code: number): Promise<void> {
    const [pod] = await livePods(running)
    await end(running, pod!, code)
    await running.advance("3s")
  }

  test.each<[action: string, code: number]>([
    ["Ignore", 1],
    ["Count", 2],
    ["FailJob", 3],
    ["FailIndex", 4],
  ])("a failure that the policy handles by %s counts once, under its name", async (action, code) => {
    const { running, metric, text } = await watched({ controllers: ["job"] })
    await using _ = running
    const rules = [rule("Ignore", 1), rule("Count", 2), rule("FailJob", 3), rule("FailIndex", 4)]
    const indexed = { completionMode: "Indexed" as const, completions: 2, parallelism: 2, backoffLimitPerIndex: 1 }
    await running.apply(work({ ...indexed, podFailurePolicy: { rules } }))
    await running.advance("3s")
    await ending(running, code)
    await running.advance("1m")
    expect(metric("job_controller_pod_failures_handled_by_failure_policy_total", { action })).toBe(1)
    expect(text().match(/^job_controller_pod_failures_handled_by_failure_policy_total\{/gm)).toHaveLength(1)
  })

  test("indexes that are done or have failed, with a limit of their own and without", async () => {
    const { running, metric } = await watched({ controllers: ["job"] })
    await using _ = running
    const indexed = { completionMode: "Indexed" as const, completions: 2, parallelism: 1 }
    await running.apply(work(indexed))
    await running.advance("3s")
    for (const code of [0, 0]) await ending(running, code)
    const family = "job_controller_job_finished_indexes_total"
    expect(metric(family, { status: "succeeded", backoffLimit: "global" })).toBe(2)
    await running.apply(work({ ...indexed, backoffLimitPerIndex: 0 }, { name: "other" }))
    await running.advance("3s")
    for (const code of [0, 1]) await ending(running, code)
    expect(metric(family, { status: "succeeded", backoffLimit: "perIndex" })).toBe(1)
    expect(metric(family, { status: "failed", backoffLimit: "perIndex" })).toBe(1)
    expect(metric(family, { status: "failed", backoffLimit: "global" })).toBe(0)
  })
})

test("garbage-collector: a server that does not say what resources it has", async () => {
  let failing = false
  const layer = refusing(({ verb, path }) => (failing && verb === "GET" && /^\/apis?$/.test(path) ? serviceUnavailable("away") : undefined))
  const { running, metric } = await watched({ controllers: ["garbage-collector"], nodes: 0, layer })
  await using _ = running
  await running.advance("65s")
  expect(metric("garbagecollector_controller_resources_sync_error_total")).toBe(0)
  failing = true
  await running.advance("65s")
  expect(metric("garbagecollector_controller_resources_sync_error_total")).toBeGreaterThanOrEqual(1)
})

describe("volumes", () => {
  const name = "kubernetes.io/memory"
  const errors = ["volume_operation_errors_total", "volume_operation_total_errors"]
  const options = (given: ClusterOptions) => withVolumes(newFiles(), { nodes: 0, ...given })

  test("that could not be made, and could not be removed, under both names", async () => {
    const plugin = memoryPlugin(name)
    const { running, metric } = await watched(options({ needs: { volumePlugins: [plugin] } }))
    await using _ = running
    await running.apply(storageClass("memory", { provisioner: name }))
    plugin.failure = broken("no room")
    await running.apply(claim("data", { class: "memory" }))
    await running.settled()
    const failures = (verb: string) => plugin.calls.filter((call) => call.startsWith(verb)).length
    expect(failures("provision")).toBeGreaterThanOrEqual(1)
    for (const family of errors) expect(metric(family, { plugin_name: name, operation_name: "provision" })).toBe(failures("provision"))
    plugin.failure = undefined
    await running.advance("1h")
    plugin.failure = broken("in use")
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.settled()
    expect(failures("delete")).toBeGreaterThanOrEqual(1)
    for (const family of errors) expect(metric(family, { plugin_name: name, operation_name: "delete" })).toBe(failures("delete"))
  })

  test("and claims that are not bound, by class and namespace", async () => {
    const { running, metric } = await watched(options({}))
    await using _ = running
    await running.apply(storageClass("gold"))
    await running.apply(claim("data", { class: "silver" }))
    const spec = { storageClassName: "gold", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, nfs: { server: "s", path: "/" } }
    await running.apply({ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "free" }, spec } as KubeObject)
    await running.advance("30s")
    expect(metric("pv_collector_unbound_pv_count", { storage_class: "gold" })).toBe(1)
    const about = { namespace: "default", storage_class: "silver", volume_attributes_class: "" }
    expect(metric("pv_collector_unbound_pvc_count", about)).toBe(1)
  })

  test("a claim that is given the default class when there is one; one that cannot be is counted as both", async () => {
    let failing = true
    const layer = refusing(({ verb, path }) =>
      failing && verb === "PUT" && path.endsWith("/persistentvolumeclaims/data")
        ? forbidden(persistentVolumeClaims, "data", "not now")
        : undefined,
    )
    const { running, metric } = await watched(options({ layer }))
    await using _ = running
    await running.apply(claim("data"))
    await running.settled()
    await running.apply(storageClass("usual", { metadata: { name: "usual", annotations: isDefault } }))
    await running.settled()
    const [tried, refused] = [metric("retroactive_storageclass_total"), metric("retroactive_storageclass_errors_total")]
    expect(refused).toBeGreaterThanOrEqual(1)
    expect(tried).toBe(refused)
    failing = false
    await running.advance("2m")
    expect((await running.client.get(persistentVolumeClaims, "default/data")).spec?.storageClassName).toBe("usual")
    expect(metric("retroactive_storageclass_total") - metric("retroactive_storageclass_errors_total")).toBe(1)
  })
})

test("pod-gc: a pod that could not be deleted, by namespace and reason", async () => {
  const layer = refusing(({ verb, path }) => (verb === "DELETE" && path.endsWith("/pods/web") ? forbidden(pods, "web", "kept") : undefined))
  const { running, metric } = await watched({ controllers: ["pod-garbage-collector"], nodes: 0, layer })
  await using _ = running
  await running.apply(object("v1", "Pod", { ...template.spec, nodeName: "gone" }))
  await running.advance("1m")
  const about = { namespace: "default", reason: "orphaned" }
  expect(metric("pod_gc_collector_force_delete_pod_errors_total", about)).toBeGreaterThanOrEqual(1)
  expect(metric("pod_gc_collector_force_delete_pods_total", about)).toBe(0)
})

test("ephemeral-volume: a claim that was refused", async () => {
  const layer = refusing(({ verb, path }) =>
    verb === "POST" && path.endsWith("/persistentvolumeclaims") ? forbidden(persistentVolumeClaims, "", "no") : undefined,
  )
  const { running, metric } = await watched({ controllers: ["ephemeral-volume"], nodes: 0, layer })
  await using _ = running
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } }
  const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }]
  await running.apply(object("v1", "Pod", { ...template.spec, volumes }))
  await running.settled()
  const refused = metric("ephemeral_volume_controller_create_failures_total")
  expect(refused).toBeGreaterThanOrEqual(1)
  expect(metric("ephemeral_volume_controller_create_total")).toBe(refused)
})

test("node-lifecycle: nodes of a zone that are not ready, and those that were given up", async () => {
  const { running, metric } = await watched({ controllers: ["nodelifecycle"], nodes: 3 })
  await using _ = running
  await running.advance("2m")
  expect(metric("node_collector_unhealthy_nodes_in_zone", { zone: "" })).toBe(0)
  await running.client.patch(nodes, "node-1", { metadata: { annotations: { "pilothouse.dev/paused": "true" } } })
  await running.advance("70s")
  expect(metric("node_collector_unhealthy_nodes_in_zone", { zone: "" })).toBe(1)
  expect(metric("node_collector_evictions_total", { zone: "" })).toBe(1)
})

test("statefulset: pods that are desired and not available", async () => {
  const { running, metric } = await watched({ controllers: ["statefulset"], nodes: 0 })
  await using _ = running
  await running.apply(object("apps/v1", "StatefulSet", { replicas: 2, serviceName: "web", ...labelled, template }))
  await running.settled()
  const about = { statefulset_namespace: "default", statefulset_name: "web", pod_management_policy: "OrderedReady" }
  expect(metric("statefulset_controller_statefulset_unavailable_replicas", about)).toBe(2)
})

test("node-ipam: blocks that were passed over before a free one was found, once for each node that was given one", async () => {
  const settings = { "allocate-node-cidrs": true, "cluster-cidr": "10.7.0.0/24", "node-cidr-mask-size": 26 }
  const { running, metric } = await watched({ controllers: ["nodeipam"], nodes: 0, settings })
  await using _ = running
  for (const name of ["a", "b"]) await running.apply({ apiVersion: "v1", kind: "Node", metadata: { name } })
  await running.settled()
  expect(metric("node_ipam_controller_cidrset_allocation_tries_per_request", { clusterCIDR: "10.7.0.0/24" })).toBe(2)
})

test("endpointslice: Services by the distribution of traffic that they ask for", async () => {
  const { running, metric } = await watched({ controllers: ["endpointslice"], nodes: 0 })
  await using _ = running
  const spec = { selector: { app: "web" }, ports: [{ port: 80 }] }
  await running.apply(object("v1", "Service", { ...spec, trafficDistribution: "PreferSameZone" }))
  await running.apply(object("v1", "Service", spec, "plain"))
  await running.settled()
  const family = "endpoint_slice_controller_services_count_by_traffic_distribution"
  expect(metric(family, { traffic_distribution: "PreferSameZone" })).toBe(1)
  expect(metric(family, { traffic_distribution: "" })).toBe(0)
})

test("attachdetach: volumes that are detached from a node out of service", async () => {
  const forced = "attach_detach_controller_attachdetach_controller_forced_detaches"
  let isStuck = false
  const { running, metric } = await watched({
    nodes: 0,
    controllers: ["attachdetach", "persistentvolume-binder"],
    extra: () => [
      externalAttacher(),
      volumeReporter(
        () => inUse("data"),
        () => isStuck,
      ),
    ],
  })
  await using _ = running
  await running.apply([csiNode("n1"), ...boundVolume("data"), podOn("n1", "data")])
  await running.settled()
  isStuck = true
  await running.client.delete(pods, "default/web", { gracePeriodSeconds: 0 })
  await running.settled()
  expect(metric(forced, { reason: "out-of-service" })).toBe(0)
  const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" as const }]
  await running.client.patch(nodes, "n1", { spec: { taints } })
  await running.settled()
  expect(metric(forced, { reason: "out-of-service" })).toBe(1)
})

test("resourcepoolstatusrequest: answers that could not be written", async () => {
  const layer = refusing(({ verb, path }) =>
    verb === "PUT" && path.includes("/resourcepoolstatusrequests/") ? serviceUnavailable("not now") : undefined,
  )
  const { running, metric } = await watched({
    controllers: ["resourcepoolstatusrequest-controller"],
    enabledVersions: [poolStatusVersion],
    layer,
  })
  await using _ = running
  await running.apply({ ...statusRequest("r"), metadata: { name: "r" } })
  await running.advance("1s")
  const driver = { driver_name: "gpu.example.com" }
  expect(metric("resourcepoolstatusrequest_controller_request_processing_errors_total", driver)).toBeGreaterThan(1)
})

test("selinux-warning: two pods have a volume with different labels", async () => {
  const { running, text } = await watched({ controllers: ["selinux-warning-controller"], nodes: 0 })
  await using _ = running
  const iscsi = { targetPortal: "10.0.0.7", iqn: "iqn.2026-01.example:disk", lun: 0 }
  const volumes = [{ name: "v", iscsi }]
  for (const level of ["s0", "s1"]) {
    const containers = [{ name: "a", image: "a", volumeMounts: [{ name: "v", mountPath: "/v" }] }]
    await running.apply(object("v1", "Pod", { containers, volumes, securityContext: { seLinuxOptions: { level } } }, level))
  }
  await running.settled()
  const lines = text()
    .split("\n")
    .filter((line) => line.startsWith("selinux_warning_controller_selinux_volume_conflict{"))
  expect(lines.map((line) => line.split(" ").at(-1))).toEqual(["1", "1"])
  expect(selinuxWarningFamilies.conflicts.name).toBe("selinux_warning_controller_selinux_volume_conflict")
})
