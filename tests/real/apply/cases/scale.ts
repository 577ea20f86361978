import type { JsonObject } from "../../api/objects/object.ts"
import { type Step, subject } from "../step.ts"

const collection = "/apis/apps/v1/namespaces/default/deployments"
const deployment = subject(collection, "scaled")
const scaleOf = deployment.sub("scale")
const other = subject(collection, "scaled-b")
const set = subject("/apis/apps/v1/namespaces/default/statefulsets", "scaled")
const controller = subject("/api/v1/namespaces/default/replicationcontrollers", "scaled")

function workload(replicas: number | undefined, name = "scaled", kind = "Deployment"): object {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  }
}

function size(replicas: unknown, metadata: object = {}, name = "scaled"): object {
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name, namespace: "default", ...metadata }, spec: { replicas } }
}

const versionOf = ({ metadata }: JsonObject) => (metadata as JsonObject | undefined)?.resourceVersion

export const scale: readonly Step[] = [
  deployment.apply("apply creates a Deployment", workload(2), { manager: "owner" }),
  scaleOf.read("scale of it"),
  scaleOf.update("update of the scale", size(3), { manager: "scaler" }),
  deployment.read("the Deployment"),
  scaleOf.update("update of the same scale", size(3), { manager: "second-scaler" }),
  deployment.apply("the owner finds a conflict", workload(2), { manager: "owner" }),
  deployment.apply("the owner gives the replicas up", workload(undefined), { manager: "owner" }),
  scaleOf.merge("merge patch of the scale", { spec: { replicas: 4 } }, { manager: "patcher" }),
  scaleOf.json("JSON patch of the scale", [{ op: "replace", path: "/spec/replicas", value: 5 }], { manager: "patcher" }),
  scaleOf.strategic("strategic patch of the scale", { spec: { replicas: 4 } }, { manager: "patcher" }),
  scaleOf.apply("apply of the scale conflicts", size(6), { manager: "applier" }),
  scaleOf.apply("apply of the same scale", size(4), { manager: "applier" }),
  scaleOf.force("forced apply of the scale", size(6), { manager: "applier" }),
  deployment.read("the Deployment"),
  scaleOf.apply("apply of the scale again", size(7), { manager: "applier" }),
  scaleOf.apply("apply of a scale with labels", size(7, { labels: { a: "b" } }), { manager: "applier" }),
  scaleOf.apply("apply of nothing", { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "scaled" } }, { manager: "applier" }),
  deployment.read("the Deployment"),
  scaleOf.apply("apply of a Deployment", workload(1), { manager: "applier" }),
  scaleOf.apply("apply of an unknown field", { ...size(1), foo: 1 }, { manager: "applier" }),
  scaleOf.apply("apply of a text", size("x"), { manager: "applier" }),
  scaleOf.apply("apply of managedFields", size(1, { managedFields: [] }), { manager: "applier" }),
  scaleOf.apply("apply of an old version", size(8, { resourceVersion: "1" }), { manager: "applier" }),
  scaleOf.force("apply of the present version", (live: JsonObject) => size(8, { resourceVersion: versionOf(live) }), {
    manager: "applier",
  }),
  scaleOf.apply("apply of another name", size(8, { name: "other" }), { manager: "applier" }),
  scaleOf.apply("apply without a manager", size(8), { manager: "" }),
  scaleOf.apply("apply of a negative number", size(-1), { manager: "applier" }),
  scaleOf.force("dry run of a forced apply", size(9), { manager: "m9", query: { dryRun: "All" } }),
  scaleOf.update("update with an old version", size(8, { resourceVersion: "1" }), { manager: "scaler" }),
  scaleOf.update("update of a negative number", size(-1), { manager: "scaler" }),
  scaleOf.update("update with a long manager", size(1), { manager: "m".repeat(129) }),
  scaleOf.merge("a patch with managedFields", { metadata: { managedFields: [] }, spec: { replicas: 2 } }, { manager: "patcher" }),
  deployment.read("the Deployment"),
  deployment.merge("the Deployment is untracked", { metadata: { managedFields: [{}] } }),
  scaleOf.update("update of the scale of an untracked object", size(3), { manager: "scaler" }),
  deployment.read("the Deployment"),
  scaleOf.force("apply of the scale of an untracked object", size(4), { manager: "applier" }),
  deployment.read("the Deployment"),

  other.create("create a Deployment", workload(1, "scaled-b"), { manager: "creator" }),
  other.sub("scale").apply("apply of a scale that an updater owns", size(2, {}, "scaled-b"), { manager: "applier" }),
  other.sub("scale").force("forced apply of it", size(2, {}, "scaled-b"), { manager: "applier" }),
  other.merge("an update of the replicas", { spec: { replicas: 9 } }, { manager: "creator" }),
  other.sub("scale").read("scale"),
  set.create("create a StatefulSet", workload(1, "scaled", "StatefulSet")),
  set.sub("scale").update("update of its scale", size(2), { manager: "scaler" }),
  set.sub("scale").apply("apply of its scale", size(2), { manager: "applier" }),
  set.read("the StatefulSet"),
  controller.create("create a ReplicationController", {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name: "scaled" },
    spec: { template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
  }),
  controller.sub("scale").update("update of its scale", size(2), { manager: "scaler" }),
  controller.sub("scale").apply("apply of its scale", size(2), { manager: "applier" }),
  controller.read("the ReplicationController"),
  ...[{ uid: "x" }, { name: undefined }, { namespace: "other" }, { namespace: undefined }].flatMap((metadata) => {
    const said = JSON.stringify(metadata, (_key, value) => value ?? null)
    return [
      scaleOf.update(`update of a scale with ${said}`, size(2, metadata), { query: { dryRun: "All" } }),
      scaleOf.merge(`merge patch of a scale with ${said}`, { metadata: JSON.parse(said) as object }, { query: { dryRun: "All" } }),
    ]
  }),
  scaleOf.strategic("strategic patch that says another kind", { apiVersion: "x/v1", kind: "Y", spec: { replicas: 2 } }),
  subject(collection, "nothing")
    .sub("scale")
    .apply("apply to the scale of what is not there", size(2, {}, "nothing")),
  subject(collection, "nothing")
    .sub("scale")
    .update("update of the scale of what is not there", size(2, {}, "nothing")),
]
