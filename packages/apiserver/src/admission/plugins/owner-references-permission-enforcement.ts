import { deepEqual, type KubeObject, type OwnerReference } from "@pilothouse/api"
import type { ResourceAttributes } from "../../authorization/authorizer.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

/** Lets a user change the owners of what the user may delete alone, and block the deletion of owners only where the user may set their finalizers. */
export const ownerReferencesPermissionEnforcement: AdmissionPlugin = {
  name: "OwnerReferencesPermissionEnforcement",
  async validate(attributes) {
    const { operation, resource, subresource, object, old } = attributes
    const { group, plural } = resource.descriptor
    // The strategy of pods keeps their owners when their status is written.
    if (
      object === undefined ||
      operation === "DELETE" ||
      operation === "CONNECT" ||
      (group === "" && plural === "pods" && subresource === "status")
    )
      return
    const [now, before] = [ownersOf(object as KubeObject), ownersOf(old)]
    if (deepEqual(now, before)) return
    if (operation === "UPDATE") await checkDelete(attributes)
    const blocking = now.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    const blocked = new Map(before.map(({ uid, blockOwnerDeletion }) => [uid, blockOwnerDeletion === true]))
    const added = blocking.filter(({ uid }) => blocked.get(uid) !== true)
    if (added.length > 0) await checkFinalizers(attributes, added)
  },
}

function ownersOf(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? []
}

async function checkDelete(attributes: AdmissionAttributes): Promise<void> {
  const { resource, subresource, namespace = "", name } = attributes
  const { group, version, plural } = resource.descriptor
  const denied = await denial(attributes, { verb: "delete", group, version, resource: plural, subresource, namespace, name })
  if (denied !== undefined) throw refusal(attributes, `cannot set an ownerRef on a resource you can't delete: ${denied}, <nil>`)
}

async function checkFinalizers(attributes: AdmissionAttributes, references: readonly OwnerReference[]): Promise<void> {
  const anything = { group: "*", version: "*", resource: "*", namespace: "", name: "*" }
  const verb = { verb: "update", subresource: "finalizers" }
  if ((await denial(attributes, { ...verb, ...anything })) === undefined) return
  for (const { apiVersion, kind, name } of references) {
    const owner = attributes.server.registry.resources().find(({ descriptor }) => {
      const { group, version } = descriptor
      return descriptor.kind === kind && apiVersion === (group === "" ? version : `${group}/${version}`)
    })
    if (owner === undefined) throw refusal(attributes, unknownKind(apiVersion, kind))
    const { group, version, plural, namespaced } = owner.descriptor
    const namespace = namespaced ? (attributes.namespace ?? "") : ""
    const denied = await denial(attributes, { ...verb, group, version, resource: plural, namespace, name })
    if (denied === undefined) continue
    const why = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
    throw refusal(attributes, `${why}: ${denied}, <nil>`)
  }
}

function unknownKind(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion]
  const why = `no matches for kind "${kind}" in version "${group === "" ? version : `${group}/${version}`}"`
  return `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`
}

/** Returns why a request of the user would be refused; undefined where it is allowed. */
async function denial({ server, identity }: AdmissionAttributes, what: ResourceAttributes): Promise<string | undefined> {
  const { allowed, reason = "" } = await server.authorizer.authorize(identity, what)
  return allowed ? undefined : reason
}
