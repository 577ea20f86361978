import type { Descriptor } from "@pilothouse/api"
import type { GroupVersionKind } from "./definitions.ts"
import { parametersOf } from "./parameters.ts"
import { reference, type SchemaObject } from "./property.ts"

export type Action = "get" | "list" | "post" | "put" | "patch" | "delete" | "deletecollection"

/** The HTTP method of each action. */
export const methodOf: Readonly<Record<Action, string>> = {
  get: "get",
  list: "get",
  post: "post",
  put: "put",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
}

/** What the OpenAPI documents need to know of one verb on one path. */
export interface OperationFacts {
  readonly action: Action
  readonly descriptor: Descriptor
  /** The kind of the bodies. */
  readonly kind: GroupVersionKind
  /** The name of the body's type; undefined where there is no schema. */
  readonly type: string | undefined
  /** Of the list, for the action "list". */
  readonly listType?: string
  /** "ForAllNamespaces", "Scale": makes the id unique. */
  readonly suffix?: string
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"

export const patchType = `${meta}.Patch`
export const deleteOptionsType = `${meta}.DeleteOptions`
export const statusType = `${meta}.Status`

const patchMedia = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
]

/** Returns the OpenAPI operation of one verb on one path. */
export function operation(facts: OperationFacts): SchemaObject {
  const { action, kind } = facts
  return {
    tags: [tagOf(facts.descriptor)],
    operationId: operationId(facts),
    ...(parametersOf[action]?.length ? { parameters: parametersOf[action] } : {}),
    ...requestBody(facts),
    responses: responses(facts),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  }
}

/** "apps_v1", "core_v1", "rbacAuthorization_v1", "myToolsExampleCom_v1" */
export function tagOf({ group, version }: Descriptor): string {
  return `${groupWord(group)}_${idWord(version)}`
}

function groupWord(group: string): string {
  return group === "" ? "core" : idWord(group.replace(/\.k8s\.io$/, ""))
}

/** A name without what an id cannot have: each sign is left out and makes the next letter a capital, and so does a digit at the start. */
function idWord(name: string): string {
  const [first = "", ...more] = name.replace(/^\d/, ".").split(/[^\p{L}\p{Nd}_]+/u)
  return first + more.map(capital).join("")
}

const idVerbs: Readonly<Record<Action, string>> = {
  get: "read",
  list: "list",
  post: "create",
  put: "replace",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
}

/** "readAppsV1NamespacedDeploymentScale", "deleteAppsV1CollectionNamespacedDeployment" */
export function operationId({ action, descriptor, suffix = "" }: Pick<OperationFacts, "action" | "descriptor" | "suffix">): string {
  const group = `${capital(groupWord(descriptor.group))}${capital(idWord(descriptor.version))}`
  const scope = descriptor.namespaced && suffix !== "ForAllNamespaces" ? "Namespaced" : ""
  return `${idVerbs[action]}${group}${action === "deletecollection" ? "Collection" : ""}${scope}${descriptor.kind}${suffix}`
}

function requestBody({ action, type }: OperationFacts): SchemaObject {
  switch (action) {
    case "post":
    case "put":
      return type === undefined ? {} : { requestBody: { content: content(["*/*"], type), required: true } }
    case "patch":
      return { requestBody: { content: content(patchMedia, patchType), required: true } }
    case "delete":
    case "deletecollection":
      return { requestBody: { content: content(["*/*"], deleteOptionsType) } }
    default:
      return {}
  }
}

function responses({ action, type, listType }: OperationFacts): SchemaObject {
  const answered = action === "delete" || action === "deletecollection" ? statusType : action === "list" ? listType : type
  const ok = { description: "OK", ...(answered && { content: content(["application/json", "application/yaml"], answered) }) }
  const created = action === "post" || action === "put" || action === "patch" ? { 201: { ...ok, description: "Created" } } : {}
  return { 200: ok, ...created, 401: { description: "Unauthorized" } }
}

export function content(media: readonly string[], type: string): SchemaObject {
  return Object.fromEntries(media.map((one) => [one, { schema: reference(type) }]))
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
