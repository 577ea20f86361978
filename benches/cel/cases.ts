import type { JsonSchema } from "@pilothouse/cel/kubernetes"

/** Types that both sides know by their names. */
export type VariableType = "int" | "string" | "list(int)" | "map(string, string)"

/** An expression that is true of its variables. */
export interface ExpressionCase {
  readonly what: string
  readonly expression: string
  readonly types: Readonly<Record<string, VariableType>>
  readonly variables: Readonly<Record<string, unknown>>
}

/** A schema with rules, and an object for which all of them are true. */
export interface RulesCase {
  readonly what: string
  /** How many rules one validation evaluates. */
  readonly rules: number
  readonly schema: JsonSchema
  readonly object: unknown
}

export const expressions: readonly ExpressionCase[] = [
  {
    what: "a comparison of two ints",
    expression: "replicas >= minimum && replicas <= 100",
    types: { replicas: "int", minimum: "int" },
    variables: { replicas: 3, minimum: 1 },
  },
  {
    what: "five ports in a range",
    expression: "ports.all(port, port > 0 && port < 65536)",
    types: { ports: "list(int)" },
    variables: { ports: [80, 443, 8080, 8443, 9090] },
  },
  {
    what: "a name and its pattern",
    expression: "name.startsWith('web-') && name.size() <= 63 && name.matches('^[a-z0-9-]+$')",
    types: { name: "string" },
    variables: { name: "web-frontend-production" },
  },
  {
    what: "labels",
    expression: "has(labels.app) && labels['app'] in ['web', 'api'] && labels.exists(key, key.startsWith('tier'))",
    types: { labels: "map(string, string)" },
    variables: { labels: { app: "web", version: "1.2.3", tier: "front" } },
  },
  {
    what: "a filter and a map",
    expression: "ports.filter(port, port > 1024).map(port, port + 1).size() == 3",
    types: { ports: "list(int)" },
    variables: { ports: [80, 443, 8080, 8443, 9090] },
  },
  {
    what: "quantities",
    expression: "quantity(limit).isGreaterThan(quantity('100Mi'))",
    types: { limit: "string" },
    variables: { limit: "1536Mi" },
  },
]

const text = { type: "string", maxLength: 63 }

export const rules: RulesCase = {
  what: "rules of a custom resource",
  rules: 5,
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          name: text,
          replicas: { type: "integer" },
          minReplicas: { type: "integer" },
          maxReplicas: { type: "integer" },
          mode: text,
          ports: {
            type: "array",
            maxItems: 16,
            items: { type: "object", properties: { name: text, port: { type: "integer" } } },
          },
          labels: { type: "object", maxProperties: 16, additionalProperties: text },
        },
        "x-kubernetes-validations": [
          { rule: "self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas" },
          { rule: "self.name.startsWith('web-') && self.name.size() > 4" },
          { rule: "self.mode in ['Rolling', 'Recreate']" },
          { rule: "self.ports.all(port, port.port > 0 && port.port < 65536 && port.name != '')" },
          { rule: "!has(self.labels) || self.labels.all(key, key.size() < 20)" },
        ],
      },
    },
  },
  object: {
    apiVersion: "bench.example.com/v1",
    kind: "Site",
    metadata: { name: "web" },
    spec: {
      name: "web-frontend",
      replicas: 3,
      minReplicas: 1,
      maxReplicas: 10,
      mode: "Rolling",
      ports: [
        { name: "http", port: 80 },
        { name: "https", port: 443 },
        { name: "metrics", port: 9090 },
      ],
      labels: { app: "web", version: "1.2.3", tier: "front" },
    },
  },
}
