import { type Step, subject } from "../step.ts"

const annotation = "kubectl.kubernetes.io/last-applied-configuration"
const configMaps = "/api/v1/namespaces/default/configmaps"
const a = subject(configMaps, "last-applied")
const b = subject(configMaps, "last-applied-b")
const c = subject(configMaps, "last-applied-c")
const deployment = subject("/apis/apps/v1/namespaces/default/deployments", "last-applied")

function config(name: string, data: object, metadata: object = {}): { apiVersion: string; kind: string; metadata: object; data: object } {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", ...metadata }, data }
}

/** As kubectl apply writes it, without a server's help. */
function withAnnotation<T extends { metadata: object }>(object: T, last: unknown = object): T {
  const text = typeof last === "string" ? last : `${JSON.stringify(last)}\n`
  return { ...object, metadata: { ...object.metadata, annotations: { [annotation]: text } } }
}

const clientSide = { manager: "kubectl-client-side-apply" }
const kubectl = { manager: "kubectl" }

const workload = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "last-applied", namespace: "default" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "i:1", ports: [{ containerPort: 80 }] }] },
    },
  },
}

const changed = structuredClone(workload)
changed.spec.template.spec.containers[0]!.image = "i:2"

export const lastApplied: readonly Step[] = [
  a.create("create as client-side apply does", withAnnotation(config("last-applied", { a: "1", b: "1" })), clientSide),
  a.apply("another applier finds a conflict", config("last-applied", { a: "2" }), { manager: "other" }),
  a.apply("kubectl takes over and changes", config("last-applied", { a: "2", b: "1" }), kubectl),
  a.apply("kubectl drops a value", config("last-applied", { a: "2" }), kubectl),
  a.merge("another manager changes a value", { data: { a: "3" } }, { manager: "other" }),
  a.apply("kubectl finds a conflict where live differs from the annotation", config("last-applied", { a: "4" }), kubectl),
  a.force("kubectl forces", config("last-applied", { a: "4" }), kubectl),
  a.apply("kubectl applies an annotation of its own", withAnnotation(config("last-applied", { a: "4" }), "mine"), kubectl),
  a.merge("the annotation goes", { metadata: { annotations: { [annotation]: null } } }, { manager: "other" }),
  a.apply("without the annotation none is written", config("last-applied", { a: "5" }), kubectl),

  b.create("create with an annotation that is no JSON", withAnnotation(config("last-applied-b", { a: "1", b: "1" }), "{"), clientSide),
  b.apply("kubectl finds a conflict", config("last-applied-b", { a: "2" }), kubectl),
  b.update("an empty annotation", withAnnotation(config("last-applied-b", { a: "1", b: "1" }), ""), clientSide),
  b.apply("kubectl finds a conflict", config("last-applied-b", { a: "2" }), kubectl),
  b.update(
    "an annotation of another version",
    withAnnotation(config("last-applied-b", { a: "1", b: "1" }), { ...config("last-applied-b", { a: "1" }), apiVersion: "v9" }),
    clientSide,
  ),
  b.apply("kubectl finds a conflict", config("last-applied-b", { a: "2" }), kubectl),
  b.update(
    "an annotation with part of it",
    withAnnotation(config("last-applied-b", { a: "1", b: "1" }), config("last-applied-b", { a: "1" })),
    clientSide,
  ),
  b.apply("kubectl finds only the conflict outside of it", config("last-applied-b", { a: "2", b: "2" }), kubectl),
  b.apply("kubectl takes over what is in it", config("last-applied-b", { a: "2" }), kubectl),
  b.update(
    "an annotation with an unknown field",
    withAnnotation(config("last-applied-b", { a: "1", b: "1" }), { ...config("last-applied-b", { a: "1", b: "1" }), foo: 1 }),
    clientSide,
  ),
  b.apply("kubectl finds a conflict", config("last-applied-b", { a: "3", b: "3" }), kubectl),

  b.force(
    "kubectl applies keys that are numbers, and letters that are escaped",
    withAnnotation(config("last-applied-b", { a: "3", "9": "<\b\f>", "10": "\u2028", "<": "&" }), "mine"),
    kubectl,
  ),

  c.apply("kubectl creates", config("last-applied-c", { a: "1" }), kubectl),
  c.apply("kubectl applies with other annotations", config("last-applied-c", { a: "1" }, { annotations: { x: "y" } }), kubectl),
  c.apply("kubectl applies what is large", withAnnotation(config("last-applied-c", { a: "x".repeat(200_000) }), "small"), kubectl),
  c.apply(
    "an annotation above the limit is dropped",
    withAnnotation(config("last-applied-c", { a: "x".repeat(263_000) }), "small"),
    kubectl,
  ),

  deployment.create("a Deployment as client-side apply does", withAnnotation(workload), clientSide),
  deployment.merge("a controller sets the replicas", { spec: { replicas: 3 } }, { manager: "scaler" }),
  deployment.apply("kubectl finds the conflict of the replicas", changed, kubectl),
  deployment.apply("kubectl takes over the image", { ...changed, spec: { ...changed.spec, replicas: 3 } }, kubectl),
  deployment.sub("status").apply("kubectl applies the status", { ...workload, spec: {}, status: { replicas: 1 } }, kubectl),
]
