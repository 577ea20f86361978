import { type Step, subject } from "../step.ts"

const collection = "/api/v1/namespaces/default/configmaps"
const a = subject(collection, "many")
const deployment = subject("/apis/apps/v1/namespaces/default/deployments", "many")

const numbers = Array.from({ length: 13 }, (_, number) => String(number).padStart(2, "0"))
/** Times that order the managers: writes within one second are ordered by name alone. */
const entry = (manager: string, second: number, more: object = {}) => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: `2024-01-02T03:04:${String(second).padStart(2, "0")}Z`,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { [`f:${manager}`]: {} } },
  ...more,
})

export const manyManagers: readonly Step[] = [
  a.create("create", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "many" }, data: { first: "1" } }, { manager: "first" }),
  ...numbers.map((number) => a.merge(`manager ${number}`, { data: { [number]: "1" } }, { manager: `m${number}` })),
  a.apply(
    "an applier",
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "many" }, data: { applied: "1" } },
    { manager: "applier" },
  ),
  a.merge("one more", { data: { more: "1" } }, { manager: "more" }),
  a.merge("a value of ancient changes", { data: { first: "2" } }, { manager: "m12" }),
  a.apply("a conflict with ancient changes", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "many" },
    data: { "00": "x" },
  }),
  a.update(
    "eleven entries of different times",
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "many", managedFields: numbers.slice(0, 11).map((number, index) => entry(number, 30 - index)) },
      data: Object.fromEntries(numbers.map((number) => [number, "1"])),
    },
    { manager: "capper" },
  ),
  a.update(
    "entries of two versions",
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "many",
        managedFields: numbers.map((number, index) => entry(number, index, index % 3 === 0 ? { apiVersion: "v7" } : {})),
      },
      data: Object.fromEntries(numbers.map((number) => [number, "2"])),
    },
    { manager: "capper" },
  ),
  deployment.create("a Deployment", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "many" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "i" }] } },
    },
  }),
  ...numbers.map((number, index) =>
    deployment
      .sub(index % 2 === 0 ? "status" : "")
      .merge(
        `manager ${number} of a Deployment`,
        index % 2 === 0
          ? { status: { conditions: [{ type: number, status: "True" }], observedGeneration: index + 1 } }
          : { metadata: { annotations: { [number]: "1" } } },
        { manager: `m${number}` },
      ),
  ),
]
