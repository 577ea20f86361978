import { forbidden, type KubeObject, notFound, StatusError } from "@pilothouse/api"
import { type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { readObject } from "../../registry/object-key.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

/** The cluster does not work without them. */
const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"])

/** Refuses to create objects in a namespace that does not exist or is terminating, and to delete the three that the cluster needs. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  admit(attributes) {
    const { operation, resource, name, namespace } = attributes
    const isNamespace = resource.descriptor.group === "" && resource.descriptor.plural === "namespaces"
    if (isNamespace && operation === "DELETE" && immortal.has(name)) {
      throw forbidden(namespaces, name, "this namespace may not be deleted")
    }
    if (operation !== "CREATE" || namespace === undefined || isNamespace) return
    refuseMissing(attributes, namespace)
  },
}

function refuseMissing(attributes: AdmissionAttributes, namespace: string): void {
  const { server } = attributes
  const found: Namespace | undefined = readObject(server.storage, server.registry.of(namespaces), undefined, namespace)
  if (found === undefined) throw notFound(namespaces, namespace)
  if (!isTerminating(found)) return
  const { status } = refusal(attributes, `unable to create new content in namespace ${namespace} because it is being terminated`)
  const cause = { reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" }
  throw new StatusError({ ...status, details: { ...status.details, causes: [cause] } })
}

function isTerminating(namespace: KubeObject): boolean {
  return namespace.metadata.deletionTimestamp !== undefined
}
