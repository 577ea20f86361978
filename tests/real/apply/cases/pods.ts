import type { JsonObject } from "../../api/objects/object.ts"
import { richPod } from "../../api/objects/pod-specs.ts"
import { changed, type Step, subject } from "../step.ts"

const collection = "/api/v1/namespaces/default/pods"
const pod = subject(collection, "web")
const rich = subject(collection, "rich")
const absent = subject(collection, "absent")

function body(spec: object, metadata: object = {}, name = "web"): object {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ...metadata }, ...(Object.keys(spec).length === 0 ? {} : { spec }) }
}

const containers = [{ name: "c", image: "i:1", resources: { requests: { cpu: "100m" }, limits: { cpu: "200m" } } }]
const condition = { type: "Ready", status: "True", lastTransitionTime: "2024-01-02T03:04:05Z" }
const debug = { name: "debug", image: "d", targetContainerName: "c" }

export const pods: readonly Step[] = [
  pod.create("create a pod", body({ containers })),
  pod.update("update of the image", (live: JsonObject) => changed(live, ({ spec }) => (spec.containers[0].image = "i:2")), {
    manager: "m2",
  }),
  pod.apply("apply of the image conflicts", body({ containers: [{ name: "c", image: "i:3" }] }), { manager: "applier" }),
  pod.force("forced apply of the image", body({ containers: [{ name: "c", image: "i:3" }] }), { manager: "applier" }),
  pod.apply("apply drops the image", body({ containers: [{ name: "c" }] }), { manager: "applier" }),
  pod.apply("apply of what cannot change", body({ containers: [{ name: "d", image: "i" }] }), { manager: "applier" }),
  pod.apply("apply of labels", body({}, { labels: { a: "b" } }), { manager: "labeller" }),
  pod.apply("apply of tolerations", body({ tolerations: [{ key: "x", operator: "Exists" }] }), { manager: "tolerator" }),
  pod.force("forced apply of tolerations", body({ tolerations: [{ key: "x", operator: "Exists" }] }), { manager: "tolerator" }),
  pod
    .sub("status")
    .strategic("strategic patch of the status", { status: { phase: "Running", conditions: [condition] } }, { manager: "kubelet" }),
  pod
    .sub("status")
    .strategic("strategic patch of a condition", { status: { conditions: [{ type: "Ready", status: "False" }] } }, { manager: "m2" }),
  pod.sub("status").update(
    "update of the status",
    (live: JsonObject) =>
      changed(live, ({ metadata, spec, status }) => {
        status.conditions.push({ ...condition, type: "test/gate" })
        metadata.labels = { by: "status" }
        metadata.ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "00000000-0000-4000-8000-000000000001" }]
        spec.activeDeadlineSeconds = 5
      }),
    { manager: "m3" },
  ),
  pod
    .sub("status")
    .apply("apply of a condition", { ...body({}), status: { conditions: [{ ...condition, type: "test/other" }] } }, { manager: "applier" }),
  pod
    .sub("status")
    .apply(
      "apply of a condition with spec and labels",
      { ...body({ activeDeadlineSeconds: 9 }, { labels: { x: "y" } }), status: { conditions: [{ ...condition, type: "test/other" }] } },
      { manager: "applier" },
    ),
  pod
    .sub("status")
    .apply(
      "apply of a condition conflicts",
      { ...body({}), status: { conditions: [{ type: "Ready", status: "True" }] } },
      { manager: "applier" },
    ),
  pod.sub("status").merge(
    "container statuses",
    {
      status: {
        containerStatuses: [
          { name: "c", ready: true, restartCount: 0, image: "i", imageID: "", state: { running: { startedAt: "2024-01-02T03:04:05Z" } } },
        ],
      },
    },
    { manager: "kubelet" },
  ),

  pod
    .sub("ephemeralcontainers")
    .strategic("an ephemeral container", { spec: { ephemeralContainers: [debug] } }, { manager: "kubectl-debug" }),
  pod.sub("ephemeralcontainers").update(
    "another by an update, with a label",
    (live: JsonObject) =>
      changed(live, ({ metadata, spec }) => {
        spec.ephemeralContainers.push({ name: "more", image: "m" })
        metadata.labels = { by: "debug" }
        spec.containers[0].image = "i:9"
      }),
    { manager: "m2" },
  ),
  pod
    .sub("ephemeralcontainers")
    .apply("a third by apply", body({ ephemeralContainers: [{ name: "third", image: "t" }] }), { manager: "applier" }),
  pod
    .sub("ephemeralcontainers")
    .apply("apply of the first conflicts", body({ ephemeralContainers: [{ name: "debug", image: "other" }] }), { manager: "applier" }),
  pod
    .sub("ephemeralcontainers")
    .json("a JSON patch", [{ op: "add", path: "/spec/ephemeralContainers/-", value: { name: "fourth", image: "f" } }], { manager: "m3" }),

  pod
    .sub("resize")
    .strategic("resize", { spec: { containers: [{ name: "c", resources: { requests: { cpu: "150m" } } }] } }, { manager: "resizer" }),
  pod.sub("resize").apply("resize by apply conflicts", body({ containers: [{ name: "c", resources: { requests: { cpu: "180m" } } }] }), {
    manager: "applier",
  }),
  pod.sub("resize").force("resize by forced apply", body({ containers: [{ name: "c", resources: { requests: { cpu: "180m" } } }] }), {
    manager: "applier",
  }),
  pod.sub("resize").update(
    "resize by update, with a label and an image",
    (live: JsonObject) =>
      changed(live, ({ metadata, spec }) => {
        metadata.labels = { by: "resize" }
        spec.containers[0].image = "i:7"
        spec.containers[0].resources.limits.cpu = "300m"
      }),
    { manager: "m2" },
  ),
  pod
    .sub("resize")
    .merge(
      "a resize that is refused",
      { spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "9" }, limits: { cpu: "9" } } }] } },
      { manager: "m2" },
    ),
  pod
    .sub("binding")
    .create(
      "binding",
      { apiVersion: "v1", kind: "Binding", metadata: { name: "web" }, target: { kind: "Node", name: "n" } },
      { manager: "scheduler" },
    ),
  pod.read("read"),
  pod.sub("eviction").create("eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web" } }),

  rich.create("create a rich pod", body({ ...richPod }, { labels: { app: "web" } }, "rich")),
  rich.apply("apply of the same", body({ ...richPod }, { labels: { app: "web" } }, "rich"), {
    manager: "applier",
  }),
  rich.apply("apply of nothing", body({}, {}, "rich"), { manager: "applier" }),
  rich.merge("a change of metadata", { metadata: { annotations: { a: "b" } } }, { manager: "m2" }),

  absent.sub("status").apply("apply to the status of what is not there", { ...body({}, {}, "absent"), status: { phase: "Running" } }),
  absent
    .sub("ephemeralcontainers")
    .apply("apply to the ephemeral containers of what is not there", body({ ephemeralContainers: [debug] }, {}, "absent")),
  absent.sub("resize").apply("apply to the size of what is not there", body({ containers }, {}, "absent")),
  absent.sub("status").apply("the status of what is not there, of another name", { ...body({}), status: { phase: "Running" } }),
  absent.sub("exec").apply("apply to a subresource that takes none", body({}, {}, "absent")),
  absent.sub("binding").apply("apply to a binding", body({}, {}, "absent")),
]
