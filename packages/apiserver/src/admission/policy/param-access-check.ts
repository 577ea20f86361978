import { deepEqual, fieldError, invalid, type KubeObject } from "@pilothouse/api"
import type { ParamKind, ParamRef } from "@pilothouse/api/admissionregistration/v1"
import { type Identity, privilegedGroup } from "../../authentication/identity.ts"
import type { ResourceAttributes } from "../../authorization/authorizer.ts"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"
import { resourceOfKind } from "./params.ts"

/** A policy or a binding, as far as params are concerned. */
type WithParams = KubeObject & {
  readonly spec?: { readonly paramKind?: ParamKind; readonly paramRef?: ParamRef; readonly policyName?: string }
}

/** The policies of bindings. */
const policiesOf: Readonly<Record<string, string>> = {
  mutatingadmissionpolicybindings: "mutatingadmissionpolicies",
  validatingadmissionpolicybindings: "validatingadmissionpolicies",
}

/**
 * Refuses policies and bindings whose writers may not read the params: their messages could show what is in them. It stands before validating admission,
 * as upstream's storage of these kinds does.
 */
export const paramAccessCheck: AdmissionPlugin = {
  name: "param-access-check",
  validate(attributes) {
    const { resource, identity, object, operation, subresource } = attributes
    const { group, plural } = resource.descriptor
    if (group !== "admissionregistration.k8s.io" || !plural.includes("admissionpolic")) return
    if (object === undefined || subresource !== "" || (operation !== "CREATE" && operation !== "UPDATE")) return
    if (identity.groups.includes(privilegedGroup)) return
    const needed = plural in policiesOf ? neededOfBinding(attributes) : neededOfPolicy(attributes)
    return needed && check(attributes, needed)
  },
}

/** A right that the writer needs, and the refusal without it. */
interface Needed {
  readonly right: ResourceAttributes
  readonly field: string
  readonly refusal: string
}

async function check({ server, identity, resource, name }: AdmissionAttributes, { right, field, refusal }: Needed): Promise<void> {
  const { allowed } = await server.authorizer.authorize(identity, right)
  if (!allowed) throw invalid(resource.descriptor, name, [fieldError.forbidden(field, refusal)])
}

function neededOfPolicy(attributes: AdmissionAttributes): Needed | undefined {
  const { object, old, identity } = attributes
  const { paramKind } = (object as WithParams).spec ?? {}
  if (paramKind === undefined || deepEqual(paramKind, (old as WithParams | undefined)?.spec?.paramKind)) return undefined
  const { apiVersion, kind } = paramKind
  const right = { ...resourceOfParams(attributes, paramKind), verb: "get", subresource: "", namespace: "*", name: "*" }
  const what = `"get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
  return { right, field: "spec.paramKind", refusal: `user ${printed(identity)} must have ${what}` }
}

function neededOfBinding(attributes: AdmissionAttributes): Needed | undefined {
  const { object, old, identity, server, resource } = attributes
  const { paramRef, policyName = "" } = (object as WithParams).spec ?? {}
  const before = (old as WithParams | undefined)?.spec
  if (paramRef === undefined || (before?.policyName === policyName && deepEqual(paramRef, before.paramRef))) return undefined
  const { group, version, plural } = resource.descriptor
  const policies = server.registry.served({ group, version, plural: policiesOf[plural] ?? "" })
  const policy = readObject(server.storage, policies, undefined, policyName) as WithParams | undefined
  const of = resourceOfParams(attributes, policy?.spec?.paramKind)
  const { name = "", namespace = "" } = paramRef
  const verb = name === "" ? "list" : "get"
  const right = { ...of, verb, subresource: "", namespace, name }
  return { right, field: "spec.paramRef", refusal: refusalOfBinding({ verb, policyName, user: printed(identity) }, policy, of.resource) }
}

function refusalOfBinding(
  { verb, policyName, user }: { readonly verb: string; readonly policyName: string; readonly user: string },
  policy: WithParams | undefined,
  plural: string,
): string {
  const minimum = `to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`
  if (policy === undefined) return `unable to get policy ${policyName} ${minimum}`
  const { paramKind } = policy.spec ?? {}
  if (paramKind === undefined || plural !== "*")
    return `user ${user} does not have "${verb}" permission on the object referenced by paramRef`
  return `unable to resolve paramKind &ParamKind{APIVersion:${paramKind.apiVersion},Kind:${paramKind.kind},} ${minimum}`
}

/** What is not known is required of everything. */
function resourceOfParams(
  { server }: AdmissionAttributes,
  paramKind: ParamKind | undefined,
): Pick<ResourceAttributes, "group" | "resource" | "version"> {
  if (paramKind === undefined) return { group: "*", version: "*", resource: "*" }
  const { apiVersion = "", kind = "" } = paramKind
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return { group, version, resource: resourceOfKind(server.registry, group, version, kind)?.descriptor.plural ?? "*" }
}

/** Returns a user as Go prints one. */
function printed({ name, uid = "", groups, extra = {} }: Identity): string {
  const entries = Object.keys(extra)
    .toSorted()
    .map((key) => `${key}:[${extra[key]?.join(" ")}]`)
  return `&{${name} ${uid} [${groups.join(" ")}] map[${entries.join(" ")}]}`
}
