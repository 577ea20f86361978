/** A deliberate mistake, as a user would make it, and what the compiler says of it. */
export interface Mistake {
  readonly mistake: string
  readonly code: string
  /** Part of the message. */
  readonly says: string
}

/** In scope of every mistake. */
export const preamble = `
import { controllerRef, type KubeObject, type ObjectOf, resource, setCondition } from "@pilothouse/api"
import { deployments, type Deployment } from "@pilothouse/api/apps/v1"
import { configMaps, namespaces, pods, services, type ConfigMap, type Service } from "@pilothouse/api/core/v1"
import { byController, controller, type CustomOperation, executor, index, manager, plan, watch, webhook } from "@pilothouse/runtime"
import { defineKind } from "@pilothouse/runtime/kinds"
import { z } from "zod"
interface PutRecord extends CustomOperation { readonly do: "put-record"; readonly name: string }
const putRecord = executor<PutRecord>("put-record", async ({ name }) => name)
const websites = defineKind({ group: "example.com", version: "v1", kind: "Website", spec: z.object({ image: z.string(), replicas: z.int().default(1) }), status: z.object({ ready: z.int().optional() }) })
type Website = ObjectOf<typeof websites>
declare const deployment: Deployment
declare const configMap: ConfigMap
declare const service: Service
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image: "web:1" }] } }
const selector = { matchLabels: { app: "web" } }
const named = { for: configMaps, observe: (key: string) => configMap } as const
`

export const mistakes: readonly Mistake[] = [
  {
    mistake: "a predicate that reads a field the kind does not have",
    code: 'controller("mine", { for: deployments, predicate: ({ object }) => object.spec?.pausd === true, observe: () => configMap, decide: () => plan() })',
    says: "Property 'pausd' does not exist on type 'DeploymentSpec'. Did you mean 'paused'?",
  },
  {
    mistake: "a misspelled field of a created object",
    code: 'plan().create({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replcas: 3, selector, template } }, "it is missing")',
    says: "Object literal may only specify known properties, but 'replcas' does not exist",
  },
  {
    mistake: "a text for a number in a created object",
    code: 'plan().create({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas: "3", selector, template } }, "it is missing")',
    says: "Type 'string' is not assignable to type 'number'.",
  },
  {
    mistake: "a created object without a required field",
    code: 'plan().create({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas: 3, template } }, "it is missing")',
    says: "Property 'selector' is missing in type",
  },
  {
    mistake: "a created object without metadata",
    code: 'plan().create({ apiVersion: "v1", kind: "ConfigMap", data: {} }, "it is missing")',
    says: "Property 'metadata' is missing in type",
  },
  {
    mistake: "a misspelled field deep in a created object",
    code: 'plan().create({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers: [{ name: "app", imagePullPolcy: "Always" }] } }, "it is missing")',
    says: "Object literal may only specify known properties, but 'imagePullPolcy' does not exist",
  },
  {
    mistake: "a misspelled field of an ensured object",
    code: 'plan().ensure({ apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selctor: {} } }, "it differs")',
    says: "Object literal may only specify known properties, but 'selctor' does not exist",
  },
  {
    mistake: "a number for a text in an ensured object",
    code: 'plan().ensure({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { size: 3 } }, "it differs")',
    says: "Type 'number' is not assignable to type 'string'.",
  },
  {
    mistake: "a misspelled field of an applied configuration",
    code: 'plan().apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replcas: 3 } }, "it is wanted")',
    says: "Object literal may only specify known properties, but 'replcas' does not exist",
  },
  {
    mistake: "a misspelled field of an updated object",
    code: 'plan().update({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, dta: {} }, "it differs")',
    says: "Object literal may only specify known properties, but 'dta' does not exist",
  },
  {
    mistake: "a misspelled field of a patch",
    code: 'plan().patch(deployment, { spec: { replcas: 3 } }, "it is night")',
    says: "Object literal may only specify known properties, but 'replcas' does not exist",
  },
  {
    mistake: "a text for a number in a patch",
    code: 'plan().patch(deployment, { spec: { replicas: "3" } }, "it is night")',
    says: "Type 'string' is not assignable to type 'number'.",
  },
  {
    mistake: "a misspelled field of a status",
    code: 'plan().status(deployment, { readyReplics: 3 }, "they are ready")',
    says: "Object literal may only specify known properties, but 'readyReplics' does not exist",
  },
  {
    mistake: "a misspelled field of the status of a defined kind",
    code: 'plan().status({} as Website, { raedy: 3 }, "they are ready")',
    says: "Object literal may only specify known properties, but 'raedy' does not exist",
  },
  {
    mistake: "a value of another type in the status of a defined kind",
    code: 'plan().status({} as Website, { ready: "3" }, "they are ready")',
    says: "Type 'string' is not assignable to type 'number'.",
  },
  {
    mistake: "an operation without a reason",
    code: "plan().delete(deployment)",
    says: "Expected 2-3 arguments, but got 1.",
  },
  {
    mistake: "a patch of another type than there is",
    code: 'plan().patch(deployment, {}, "it is night", { type: "merg" })',
    says: "Type '\"merg\"' is not assignable to type 'PatchType | undefined'. Did you mean '\"merge\"'?",
  },
  {
    mistake: "a refusal that no server gives, tolerated",
    code: 'plan().create(configMap, "it is missing", { tolerate: ["AlreadyExist"] })',
    says: "Type '\"AlreadyExist\"' is not assignable to type 'StatusReason'. Did you mean '\"AlreadyExists\"'?",
  },
  {
    mistake: "an event of another type",
    code: 'plan().event(deployment, "Error", "Failed", "it failed")',
    says: 'Argument of type \'"Error"\' is not assignable to parameter of type \'"Normal" | "Warning"\'.',
  },
  {
    mistake: "a delay in words",
    code: 'plan().requeueAfter("10 minutes", "the hour may have struck")',
    says: "Argument of type '\"10 minutes\"' is not assignable to parameter of type 'Duration'.",
  },
  {
    mistake: "a delay in a unit that durations do not have",
    code: 'plan().requeueAfter("1d", "the day may be over")',
    says: "Argument of type '\"1d\"' is not assignable to parameter of type 'Duration'.",
  },
  {
    mistake: "a time limit without a unit",
    code: 'controller("mine", { for: configMaps, reconcileTimeout: "30", observe: () => configMap, decide: () => plan() })',
    says: "Type '\"30\"' is not assignable to type 'Duration | undefined'.",
  },
  {
    mistake: "a custom operation whose kind is one word",
    code: 'plan().operation({ do: "record", to: "dns", reason: "it is missing" })',
    says: 'Type \'"record"\' is not assignable to type \'"apply" | "bind" | "create" | "delete" | "deleteCollection" | "ensure" | "evict" | "patch" | "status" | "update" | `${string}-${string}`\'.',
  },
  {
    mistake: "a custom operation without a target",
    code: 'plan().operation({ do: "put-record", reason: "it is missing" })',
    says: "Property 'to' is missing in type",
  },
  {
    mistake: "a custom operation without an executor",
    code: 'controller("mine", { for: configMaps, observe: () => configMap, decide: () => plan().operation({ do: "put-record", to: "dns", reason: "it is missing", name: "a" }) })',
    says: "expected an executor of put-record among the executors",
  },
  {
    mistake: "a custom operation without an executor among others",
    code: 'controller("mine", { for: configMaps, executors: [putRecord], observe: () => configMap, decide: () => plan().operation({ do: "drop-record", to: "dns", reason: "it is old" }) })',
    says: "expected an executor of drop-record among the executors",
  },
  {
    mistake: "a custom operation without a field that its executor needs",
    code: 'controller("mine", { for: configMaps, executors: [putRecord], observe: () => configMap, decide: () => plan().operation({ do: "put-record", to: "dns", reason: "it is missing" }) })',
    says: "expected an executor of put-record that takes the fields of the planned operation",
  },
  {
    mistake: "an executor of another kind of operation",
    code: 'executor<PutRecord>("drop-record", async () => {})',
    says: "Argument of type '\"drop-record\"' is not assignable to parameter of type '\"put-record\"'.",
  },
  {
    mistake: "an executor that reads a field the operation does not have",
    code: 'executor<PutRecord>("put-record", async ({ adress }) => adress)',
    says: "Property 'adress' does not exist on type 'PutRecord'.",
  },
  {
    mistake: "a text for a kind",
    code: 'controller("mine", { for: "configmaps", observe: () => configMap, decide: () => plan() })',
    says: "Type 'string' is not assignable to type 'Descriptor<KubeObject>'.",
  },
  {
    mistake: "a decision that is no plan",
    code: 'controller("mine", { for: configMaps, observe: () => configMap, decide: () => {} })',
    says: "Type '() => void' is not assignable to type '(observed: ConfigMap, context: DecideContext) => Plan'.",
  },
  {
    mistake: "an asynchronous decision",
    code: 'controller("mine", { for: configMaps, observe: () => configMap, decide: async () => plan() })',
    says: "Type 'Promise<PlanBuilder<never>>' is missing the following properties from type 'Plan': steps, events, waitingFor",
  },
  {
    mistake: "a misspelled field of what was observed",
    code: 'controller("mine", { for: deployments, observe: (key, read) => read.get(deployments, key), decide: (found) => plan().nothing(String(found.spec?.replcas)) })',
    says: "Property 'replcas' does not exist on type 'DeploymentSpec'. Did you mean 'replicas'?",
  },
  {
    mistake: "a misspelled option of a controller",
    code: 'controller("mine", { for: configMaps, own: [pods], observe: () => configMap, decide: () => plan() })',
    says: "Object literal may only specify known properties, but 'own' does not exist",
  },
  {
    mistake: "a change of what was read",
    code: 'controller("mine", { for: deployments, observe: (key, read) => read.get(deployments, key), decide: (found) => { found.spec!.replicas = 3; return plan() } })',
    says: "Cannot assign to 'replicas' because it is a read-only property.",
  },
  {
    mistake: "a watch whose mapping reads a field the kind does not have",
    code: 'watch(services, "it changed", (service) => [service.spec?.clusterIp ?? ""])',
    says: "Property 'clusterIp' does not exist on type 'ServiceSpec'. Did you mean 'clusterIP'?",
  },
  {
    mistake: "an index whose function returns a number",
    code: 'index(pods, "node", (pod) => 3)',
    says: "Type 'number' is not assignable to type 'readonly string[]'.",
  },
  {
    mistake: "a misspelled option of a manager",
    code: 'manager({ controllers: [], leaderElecton: { lease: "default/mine" } })',
    says: "Object literal may only specify known properties, but 'leaderElecton' does not exist",
  },
  {
    mistake: "a grace period in words",
    code: 'manager({ controllers: [], grace: "ten seconds" })',
    says: "Type '\"ten seconds\"' is not assignable to type 'Duration | undefined'.",
  },
  {
    mistake: "a kind without a spec",
    code: 'defineKind({ group: "example.com", version: "v1", kind: "Website" })',
    says: "Property 'spec' is missing in type",
  },
  {
    mistake: "a scope that there is not",
    code: 'defineKind({ group: "example.com", version: "v1", kind: "Website", scope: "Namespace", spec: z.object({}) })',
    says: 'Type \'"Namespace"\' is not assignable to type \'"Cluster" | "Namespaced" | undefined\'. Did you mean \'"Namespaced"\'?',
  },
  {
    mistake: "a printer column of a type that there is not",
    code: 'defineKind({ group: "example.com", version: "v1", kind: "Website", spec: z.object({}), printerColumns: [{ name: "Ready", typ: "string", jsonPath: ".status.ready" }] })',
    says: "Object literal may only specify known properties, but 'typ' does not exist",
  },
  {
    mistake: "a misspelled field of an object of a defined kind",
    code: "({} as Website).spec.replcas",
    says: "Property 'replcas' does not exist on type '{ readonly image: string; readonly replicas: number; }'. Did you mean 'replicas'?",
  },
  {
    mistake: "an owner reference to a kind instead of an object",
    code: "controllerRef(deployments, deployments)",
    says: "Property 'metadata' is missing in type",
  },
  {
    mistake: "a webhook of an object that there is not",
    code: 'webhook("limits", { of: deployments, validate: ({ object }) => object?.spec?.replcas === 3 ? undefined : "no" })',
    says: "Property 'replcas' does not exist on type 'DeploymentSpec'. Did you mean 'replicas'?",
  },
]
