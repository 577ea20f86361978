import { readFileSync } from "node:fs"
import { join } from "node:path"
import { namespaces, nodes } from "@pilothouse/api/core/v1"
import { controllerMetricFamilies, controllersOfVersions } from "@pilothouse/controllers"
import { type Labels, memoryMetrics, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { beforeAll, describe, expect, test } from "vitest"
import { namespace, objectsOffByDefault, oneOfEverything, rootCa, surroundings, versionsOffByDefault } from "./everything.ts"

const metrics = memoryMetrics()
const where = { namespace: "everything" }
const told = (name: string, labels: Labels = {}) => metrics.value(name, labels)
/** Sum over all labels, as text that Prometheus reads. */
const sum = (name: string) =>
  [...metrics.text().matchAll(new RegExp(`^${name}(?:_count)?(?:\\{.*\\})? (\\S+)$`, "gm"))].reduce(
    (all, [, value]) => all + Number(value),
    0,
  )

async function live(running: Cluster): Promise<void> {
  for (const object of [...surroundings, ...objectsOffByDefault, ...oneOfEverything()]) await running.apply(object)
  await running.advance("3m")
  for (const object of oneOfEverything({ replicas: 4 }).filter(({ kind }) => kind === "ReplicaSet" || kind === "StatefulSet"))
    await running.apply(object)
  await running.advance("1m")
  for (const object of oneOfEverything({ replicas: 1 }).filter(({ kind }) => kind === "ReplicaSet")) await running.apply(object)
  await running.apply({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "others", namespace },
    spec: { managedBy: "example.com/other", template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
  } as never)
  await running.client.patch(nodes, "node-2", { spec: { taints: [{ key: "example.com/out", effect: "NoExecute" }] } })
  await running.advance("1m")
  for (const node of ["node-2", "node-3"]) await running.client.delete(nodes, node)
  await running.advance("3m")
}

/** Of a namespace with one of everything in it, told while it lived. */
beforeAll(async () => {
  const files = virtualFiles(new VirtualClock())
  await using running = await cluster({
    nodes: 3,
    needs: { files, volumeRoot: "/srv/volumes", rootCa, metrics },
    enabledVersions: versionsOffByDefault,
    controllers: ["*", "selinux-warning", ...controllersOfVersions(versionsOffByDefault)],
    settings: { "enable-hostpath-provisioner": true, "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" },
  })
  await live(running)
  expect((await running.list(namespaces)).length).toBeGreaterThan(3)
})

describe("what each controller tells", () => {
  test.each<[name: string, value: () => number, expected: (value: number) => boolean]>([
    ["cronjob: every run's Job", () => sum("cronjob_controller_job_creation_skew_duration_seconds"), (n) => n >= 5],
    ["endpointslice: endpoints that were added", () => sum("endpoint_slice_controller_endpoints_added_per_sync"), (n) => n > 2],
    ["endpointslice: endpoints that were taken away", () => sum("endpoint_slice_controller_endpoints_removed_per_sync"), (n) => n > 2],
    ["endpointslice: two slices were made", () => told("endpoint_slice_controller_changes", { operation: "create" }), (n) => n === 2],
    ["endpointslice: there are as many", () => told("endpoint_slice_controller_num_endpoint_slices"), (n) => n === 2],
    ["endpointslice: as there would be packed tightly", () => told("endpoint_slice_controller_desired_endpoint_slices"), (n) => n === 2],
    ["endpointslice: endpoints", () => told("endpoint_slice_controller_endpoints_desired"), (n) => n >= 4],
    ["endpointslice: looks that went well", () => told("endpoint_slice_controller_syncs", { result: "success" }), (n) => n > 2],
    [
      "endpointslice: slices that a look changed",
      () => told("endpoint_slice_controller_endpointslices_changed_per_sync", { topology: "Disabled", traffic_distribution: "" }),
      (n) => n > 2,
    ],
    ["mirroring: an address was added", () => sum("endpoint_slice_mirroring_controller_endpoints_added_per_sync"), (n) => n > 0],
    ["mirroring: an address was removed", () => sum("endpoint_slice_mirroring_controller_endpoints_removed_per_sync"), (n) => n > 0],
    ["mirroring: an address was changed", () => sum("endpoint_slice_mirroring_controller_endpoints_updated_per_sync"), (n) => n > 0],
    ["mirroring: a slice was created", () => told("endpoint_slice_mirroring_controller_changes", { operation: "create" }), (n) => n === 1],
    ["ephemeral: the claim of a pod", () => told("ephemeral_volume_controller_create_total"), (n) => n === 1],
    ["claims: that of a pod's template", () => sum("resourceclaim_controller_creates_total"), (n) => n === 1],
    [
      "claims: there is one of a template",
      () =>
        told("resourceclaim_controller_resource_claims", { allocated: "false", admin_access: "false", source: "resource_claim_template" }),
      (n) => n === 1,
    ],
    ["ephemeral: none was refused", () => told("ephemeral_volume_controller_create_failures_total"), (n) => n === 0],
    ["autoscaler: there is one", () => told("horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers"), (n) => n === 1],
    [
      "autoscaler: it asks for three",
      () => told("horizontal_pod_autoscaler_controller_desired_replicas", { ...where, hpa_name: "scaler" }),
      (n) => n === 3,
    ],
    [
      "autoscaler: it went up once",
      () => told("horizontal_pod_autoscaler_controller_reconciliations_total", { action: "scale_up", error: "none" }),
      (n) => n === 1,
    ],
    ["autoscaler: metrics were weighed", () => sum("horizontal_pod_autoscaler_controller_metric_computation_total"), (n) => n > 1],
    [
      "autoscaler: how long that look took",
      () => told("horizontal_pod_autoscaler_controller_reconciliation_duration_seconds", { action: "scale_up", error: "none" }),
      (n) => n === 1,
    ],
    [
      "autoscaler: how long metrics took",
      () => sum("horizontal_pod_autoscaler_controller_metric_computation_duration_seconds"),
      (n) => n === sum("horizontal_pod_autoscaler_controller_metric_computation_total"),
    ],
    [
      "job: pods that ended well",
      () => told("job_controller_job_pods_finished_total", { completion_mode: "NonIndexed", result: "succeeded" }),
      (n) => n >= 9,
    ],
    [
      "job: Jobs that are complete",
      () =>
        told("job_controller_jobs_finished_total", { completion_mode: "NonIndexed", result: "succeeded", reason: "CompletionsReached" }),
      (n) => n >= 7,
    ],
    [
      "job: pods that were made",
      () => told("job_controller_job_pods_creation_total", { reason: "new", status: "succeeded" }),
      (n) => n >= 9,
    ],
    ["job: reconciles that made pods", () => sum("job_controller_job_syncs_total"), (n) => n > 9],
    ["job: how long they took", () => sum("job_controller_job_sync_duration_seconds"), (n) => n === sum("job_controller_job_syncs_total")],
    [
      "job: pods that ended tracked",
      () => told("job_controller_terminated_pods_tracking_finalizer_total", { event: "add" }),
      (n) => n >= 9,
    ],
    ["job: and were released", () => told("job_controller_terminated_pods_tracking_finalizer_total", { event: "delete" }), (n) => n >= 9],
    [
      "job: one is of another controller",
      () => told("job_controller_jobs_by_external_controller_total", { controller_name: "example.com/other" }),
      (n) => n === 1,
    ],
    [
      "node-ipam: blocks of three nodes",
      () => told("node_ipam_controller_cidrset_cidrs_allocations_total", { clusterCIDR: "10.244.0.0/16" }),
      (n) => n === 3,
    ],
    [
      "node-ipam: two came back",
      () => told("node_ipam_controller_cidrset_cidrs_releases_total", { clusterCIDR: "10.244.0.0/16" }),
      (n) => n === 2,
    ],
    [
      "node-ipam: blocks there are",
      () => told("node_ipam_controller_cirdset_max_cidrs", { clusterCIDR: "10.244.0.0/16" }),
      (n) => n === 256,
    ],
    [
      "node-ipam: share that is taken",
      () => told("node_ipam_controller_cidrset_usage_cidrs", { clusterCIDR: "10.244.0.0/16" }),
      (n) => n === 1 / 256,
    ],
    ["node-lifecycle: nodes of the zone", () => told("node_collector_zone_size", { zone: "" }), (n) => n === 1],
    ["node-lifecycle: all are well", () => told("node_collector_zone_health", { zone: "" }), (n) => n === 100],
    ["node-lifecycle: looks at nodes", () => told("node_collector_update_node_health_duration_seconds"), (n) => n > 9],
    ["node-lifecycle: looks at all", () => told("node_collector_update_all_nodes_health_duration_seconds"), (n) => n > 0],
    ["volumes: four, all of directories", () => sum("pv_collector_total_pv_count"), (n) => n >= 4],
    ["volumes: all are bound", () => sum("pv_collector_bound_pv_count"), (n) => n >= 4],
    ["volumes: claims are bound", () => sum("pv_collector_bound_pvc_count"), (n) => n >= 4],
    [
      "pod-gc: pods of a node that is gone",
      () => told("pod_gc_collector_force_delete_pods_total", { ...where, reason: "orphaned" }),
      (n) => n > 0,
    ],
    [
      "replicaset: those that went were no older than twice the youngest",
      () => told("replicaset_controller_sorting_deletion_age_ratio"),
      (n) => n === 3,
    ],
    ["root-ca: looks at namespaces", () => told("root_ca_cert_publisher_sync_total", { code: "200" }), (n) => n >= 4],
    ["trust bundles: looks at the signer", () => told("clustertrustbundle_publisher_sync_total", { code: "200" }), (n) => n >= 2],
    [
      "trust bundles: how long they took",
      () => told("clustertrustbundle_publisher_sync_duration_seconds", { code: "200" }),
      (n) => n === told("clustertrustbundle_publisher_sync_total", { code: "200" }),
    ],
    [
      "pool status: requests that were answered",
      () => told("resourcepoolstatusrequest_controller_requests_processed_total", { driver_name: "none.example.com" }),
      (n) => n === 1,
    ],
    [
      "pool status: how long they took",
      () => told("resourcepoolstatusrequest_controller_request_processing_duration_seconds", { driver_name: "none.example.com" }),
      (n) => n === 1,
    ],
    ["root-ca: how long they took", () => told("root_ca_cert_publisher_sync_duration_seconds", { code: "200" }), (n) => n >= 4],
    [
      "statefulset: one may be unavailable",
      () =>
        told("statefulset_controller_statefulset_max_unavailable", {
          statefulset_namespace: "everything",
          statefulset_name: "stateful",
          pod_management_policy: "OrderedReady",
        }),
      (n) => n === 1,
    ],
    ["taint-eviction: pods that had to leave", () => told("taint_eviction_controller_pod_deletions_total"), (n) => n > 0],
    [
      "taint-eviction: how long that took",
      () => told("taint_eviction_controller_pod_deletion_duration_seconds"),
      (n) => n === told("taint_eviction_controller_pod_deletions_total"),
    ],
    ["ttl: a Job whose time was over", () => told("ttl_after_finished_controller_job_deletion_duration_seconds"), (n) => n === 1],
  ])("%s", (_name, value, expected) => {
    const found = value()
    expect({ found, isExpected: expected(found) }).toEqual({ found, isExpected: true })
  })
})

test("every family is there from the start, with the labels that it says it has", () => {
  const text = metrics.text()
  for (const { name, type, labels } of controllerMetricFamilies) {
    expect(text).toContain(`# TYPE ${name} ${type}\n`)
    const [, pairs] = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, "m").exec(text) ?? []
    const found = [...(pairs ?? "").matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== "le")
    if (pairs !== undefined) expect({ name, labels: found }).toEqual({ name, labels: [...labels].sort() })
  }
})

/** Metrics of failures are in controller-metrics-on-failure.test.ts, which needs helpers of the package. */
test("every family has a test that makes it count", () => {
  const onFailure = "../../packages/controllers/src/testing/controller-metrics-on-failure.test.ts"
  const texts = ["controller-metrics.test.ts", onFailure].map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
  const isTested = (name: string) => texts.some((text) => text.includes(`"${name}"`))
  expect(controllerMetricFamilies.filter(({ name }) => !isTested(name)).map(({ name }) => name)).toEqual([])
})
