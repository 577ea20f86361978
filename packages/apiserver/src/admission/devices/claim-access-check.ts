import { deepEqual, type FieldError, fieldError, invalid } from "@pilothouse/api"
import { namespaces } from "@pilothouse/api/core/v1"
import type { ResourceClaim, ResourceClaimTemplate } from "@pilothouse/api/resource/v1"
import type { Identity } from "../../authentication/identity.ts"
import { refusal } from "../../authorization/authorize.ts"
import type { ResourceAttributes } from "../../authorization/authorizer.ts"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"

type Status = NonNullable<ResourceClaim["status"]>
type Allocation = NonNullable<Status["allocation"]>
type DeviceStatus = NonNullable<Status["devices"]>[number]

/**
 * Decides what a user may write of claims beyond the right to write them: devices with admin access need a namespace that has the label for it; an
 * allocation and its reservations need the right to bind claims, and the status of a device that of its driver. It stands before validating admission,
 * as upstream's storage of these kinds does.
 */
export const claimAccessCheck: AdmissionPlugin = {
  name: "claim-access-check",
  async validate(attributes) {
    const errors = [...adminErrors(attributes), ...(await statusErrors(attributes))]
    if (errors.length > 0) throw invalid(attributes.resource.descriptor, attributes.name, errors)
  },
}

const adminLabel = "resource.kubernetes.io/admin-access"

/** A spec is immutable, and so is an allocation: what was granted once is not checked again. */
function adminErrors(attributes: AdmissionAttributes): readonly FieldError[] {
  const path = adminPath(attributes)
  if (path === undefined) return []
  const { server, namespace = "" } = attributes
  const stored = readObject(server.storage, server.registry.of(namespaces), undefined, namespace)
  if (stored?.metadata.labels?.[adminLabel] === "true") return []
  const text = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`
  return [fieldError.forbidden(path, text)]
}

/** Returns the field in which a write requests admin access that the object did not have. */
function adminPath({ operation, subresource, object, old }: AdmissionAttributes): string | undefined {
  const wanted = (list: readonly { readonly adminAccess?: boolean | undefined }[]) => list.findIndex((one) => one.adminAccess === true)
  if (operation === "CREATE" && subresource === "") {
    const { spec } = object as unknown as ResourceClaim | ResourceClaimTemplate
    const { devices } = "spec" in spec ? spec.spec : spec
    const index = wanted((devices?.requests ?? []).map(({ exactly = {} }) => exactly as { readonly adminAccess?: boolean }))
    return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`
  }
  if (subresource !== "status" || wanted(resultsOf(old)) >= 0) return undefined
  const index = wanted(resultsOf(object))
  return index < 0 ? undefined : `status.allocation.devices.results[${index}].adminAccess`
}

function resultsOf(object: AdmissionAttributes["object"] | AdmissionAttributes["old"]) {
  return statusOf(object).allocation?.devices?.results ?? []
}

function statusOf(object: AdmissionAttributes["object"] | AdmissionAttributes["old"]): Status {
  return (object as ResourceClaim | undefined)?.status ?? {}
}

async function statusErrors(attributes: AdmissionAttributes): Promise<readonly FieldError[]> {
  const { subresource, operation, object, old } = attributes
  if (subresource !== "status" || operation !== "UPDATE") return []
  const [now, before] = [statusOf(object), statusOf(old)]
  return [...(await bindingErrors(attributes, now, before)), ...(await deviceErrors(attributes, now, before))]
}

/** The right is one for the whole cluster, on a subresource that exists for it alone. */
async function bindingErrors(attributes: AdmissionAttributes, now: Status, before: Status): Promise<readonly FieldError[]> {
  if (deepEqual(now.allocation, before.allocation) && deepEqual(now.reservedFor ?? [], before.reservedFor ?? [])) return []
  const { verb } = attributes.request
  const refused = await refusalOf(attributes, { verb, subresource: "binding", namespace: "", name: "" })
  if (refused === undefined) return []
  const what = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission`
  return [fieldError.forbidden("status.allocation", `${what}: ${refused}`)]
}

/** A driver on the node of the devices may have less than one that works for all nodes. */
async function deviceErrors(attributes: AdmissionAttributes, now: Status, before: Status): Promise<readonly FieldError[]> {
  const { allocation } = now
  if (allocation === undefined) return []
  const { identity, request, namespace = "" } = attributes
  const isOnNode = isOf(identity, nodeOf(allocation))
  const verbs = [...(isOnNode ? [`associated-node:${request.verb}`] : []), `arbitrary-node:${request.verb}`]
  const errors: FieldError[] = []
  for (const name of driversOf(now.devices ?? [], before.devices ?? [])) {
    const refused = await firstRefusal(attributes, verbs, { subresource: "driver", namespace, name })
    const what = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission`
    if (refused !== undefined) errors.push(fieldError.forbidden("status.devices", `${what}: ${refused}`))
  }
  return errors
}

type Right = Pick<ResourceAttributes, "verb" | "subresource" | "namespace" | "name">

/** Undefined as soon as one of the verbs is allowed. */
async function firstRefusal(
  attributes: AdmissionAttributes,
  verbs: readonly string[],
  right: Omit<Right, "verb">,
): Promise<string | undefined> {
  const refusals: string[] = []
  for (const verb of verbs) {
    const refused = await refusalOf(attributes, { ...right, verb })
    if (refused === undefined) return undefined
    refusals.push(refused)
  }
  return refusals[0]
}

async function refusalOf({ server, identity, resource }: AdmissionAttributes, right: Right): Promise<string | undefined> {
  const { group, version, plural } = resource.descriptor
  const what = { group, version, resource: plural, ...right }
  const decision = await server.authorizer.authorize(identity, what)
  return decision.allowed ? undefined : refusal(identity, what, decision).message
}

/** The drivers of devices whose status differs, in alphabetical order. */
function driversOf(now: readonly DeviceStatus[], before: readonly DeviceStatus[]): readonly string[] {
  const keyOf = ({ driver, pool, device, shareID = "" }: DeviceStatus) => JSON.stringify([driver, pool, device, shareID])
  const old = new Map(before.map((one) => [keyOf(one), one]))
  const young = new Map(now.map((one) => [keyOf(one), one]))
  const changed = [...old.keys(), ...young.keys()].filter((key) => !deepEqual(old.get(key), young.get(key)))
  return [...new Set(changed.map((key) => (young.get(key) ?? old.get(key))!.driver))].sort()
}

/** The one node that an allocation names, as the scheduler writes it. */
function nodeOf({ nodeSelector }: Allocation): string {
  const [term, ...others] = nodeSelector?.nodeSelectorTerms ?? []
  const [field, ...more] = term?.matchFields ?? []
  const isOne = others.length === 0 && more.length === 0 && (term?.matchExpressions ?? []).length === 0
  const isName = field?.key === "metadata.name" && field.operator === "In" && field.values?.length === 1
  return isOne && isName ? field.values![0]! : ""
}

function isOf({ name, extra = {} }: Identity, node: string): boolean {
  const nodes = extra["authentication.kubernetes.io/node-name"] ?? []
  return node !== "" && name.startsWith("system:serviceaccount:") && nodes.length === 1 && nodes[0] === node
}
