import { deployments } from "@pilothouse/api/apps/v1"
import { namespaces, nodes, pods, services } from "@pilothouse/api/core/v1"

/** A text that something in the cluster reads and no schema names: annotations, and commands of simulated containers. */
export interface ReadText {
  /** "Pod command sleep" */
  readonly name: string
  /** Of the kind that has it. */
  readonly plural: string
  object(text: string): object
}

const simulated = [
  "start-time",
  "run-time",
  "exit-code",
  "ready-delay",
  "ready",
  "alive",
  "stop-time",
  "pull-error",
  "cpu",
  "memory",
  "run-time.c",
]

function podWith(container: object, annotations: Readonly<Record<string, string>> = {}): object {
  return { metadata: { name: "grown", annotations }, spec: { containers: [{ name: "c", image: "i", ...container }] } }
}

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }

function annotated(plural: string, name: string, key: string, more: object = {}): ReadText {
  return { name: `${plural} annotation ${key}`, plural, object: (text) => ({ metadata: { name, annotations: { [key]: text } }, ...more }) }
}

export const readTexts: readonly ReadText[] = [
  { name: "Pod command sleep", plural: pods.plural, object: (text) => podWith({ command: ["sleep", text] }) },
  { name: "Pod command sh", plural: pods.plural, object: (text) => podWith({ command: ["sh", "-c", text] }) },
  { name: "Pod command sh with sleep", plural: pods.plural, object: (text) => podWith({ command: ["sh", "-c", `sleep ${text}`] }) },
  { name: "Pod command exit", plural: pods.plural, object: (text) => podWith({ command: ["sh", "-c", `exit ${text}`] }) },
  ...simulated.map((word) => ({
    name: `Pod annotation ${word}`,
    plural: pods.plural,
    object: (text: string) => podWith({}, { [`pilothouse.dev/${word}`]: text }),
  })),
  annotated(pods.plural, "grown", "custom.metrics.pilothouse.dev/a", { spec: template.spec }),
  annotated(namespaces.plural, "grown", "external.metrics.pilothouse.dev/a"),
  annotated(nodes.plural, "grown", "pilothouse.dev/paused"),
  annotated(services.plural, "grown", "service.kubernetes.io/topology-mode", { spec: { ports: [{ port: 80 }] } }),
  annotated(deployments.plural, "grown", "deployment.kubernetes.io/revision", {
    spec: { selector: { matchLabels: { a: "b" } }, template },
  }),
]
