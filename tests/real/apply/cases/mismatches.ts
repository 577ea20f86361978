import { type Step, subject } from "../step.ts"

const pods = "/api/v1/namespaces/default/pods"
const pod = subject(pods, "fits")
const service = subject("/api/v1/namespaces/default/services", "missing")
const deployment = subject("/apis/apps/v1/namespaces/default/deployments", "missing")

const container = (rest: object) => ({ spec: { containers: [{ name: "c", ...rest }] } })
const labels = (value: unknown) => ({ metadata: { labels: value } })

/** Of each kind of type one that does not get what it expects. */
const wrong: Readonly<Record<string, unknown>> = {
  "a text for a map": labels("invalid"),
  "a list for a map": labels(["a"]),
  "an integer for a map": labels(7),
  "a fraction for a map": labels(1.5),
  "a boolean for a map": labels(true),
  "an integer for a text in a map": labels({ a: 7 }),
  "a boolean for a text in a map": labels({ a: true }),
  "a fraction for a text in a map": labels({ a: 1.5 }),
  "a map for a text in a map": labels({ a: {} }),
  "a text for an object": { spec: "x" },
  "a list for an object": { spec: [] },
  "a boolean for a pointer to an object": { spec: { securityContext: true } },
  "a text for a list": { spec: { containers: "x" } },
  "an integer for a list": { spec: { tolerations: 7 } },
  "a map for a list": { spec: { tolerations: {} } },
  "a text in a list of objects": { spec: { tolerations: ["x"] } },
  "an integer in a list of texts": container({ command: [7] }),
  "an integer for a text": container({ image: 7 }),
  "a boolean for a text": container({ image: true }),
  "a text for an integer": { spec: { terminationGracePeriodSeconds: "soon" } },
  "a fraction for an integer": { spec: { terminationGracePeriodSeconds: 1.5 } },
  "a boolean for an integer": { spec: { priority: true } },
  "a text for a boolean": { spec: { hostNetwork: "yes" } },
  "an integer for a boolean": { spec: { hostNetwork: 1 } },
  "a map for a quantity": container({ resources: { limits: { cpu: {} } } }),
  "a text that is no quantity": container({ resources: { limits: { cpu: "x" } } }),
  "a text that is no time": { metadata: { deletionTimestamp: "soon" } },
}

const noPod = { apiVersion: "v1", kind: "Pod", metadata: { name: "fits" }, spec: { containers: [{ name: "c", image: "i" }] } }
const serviceBody = { apiVersion: "v1", kind: "Service", metadata: { name: "missing" }, spec: { ports: [{ port: 80 }] } }
const deploymentBody = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "missing" } }

export const mismatches: readonly Step[] = [
  pod.create("a pod", noPod),
  ...Object.entries(wrong).map(([title, body]) => pod.strategic(`${title}, by strategic merge`, body)),
  ...Object.entries(wrong).map(([title, body]) => pod.merge(`${title}, by merge`, body)),
  pod.json("a text for a map, by JSON patch", [{ op: "add", path: "/metadata/labels", value: "invalid" }]),
  deployment.sub("status").update("an update of the status of no Deployment", deploymentBody),
  deployment.sub("status").apply("an apply of the status of no Deployment", { ...deploymentBody, status: {} }),
  service.update("an update of no Service", { ...serviceBody, spec: { ports: [] } }),
]
