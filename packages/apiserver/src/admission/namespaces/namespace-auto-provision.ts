import { formatTime } from "@pilothouse/api"
import { type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { ownedAsCreated } from "../../objects/owned-by-server.ts"
import { stamped } from "../../objects/stamped.ts"
import { objectKey } from "../../registry/object-key.ts"
import type { AdmissionPlugin } from "../plugin.ts"

/** Creates the namespace of a new object where there is none. */
export const namespaceAutoProvision: AdmissionPlugin = {
  name: "NamespaceAutoProvision",
  async admit({ server, operation, resource, namespace, dryRun }) {
    const { group, plural } = resource.descriptor
    if (operation !== "CREATE" || dryRun || namespace === undefined || (group === "" && plural === "namespaces")) return
    const { storage, registry, random, clock } = server
    const kept = registry.of(namespaces)
    const key = objectKey(kept, undefined, namespace)
    if (storage.get(key) !== undefined) return
    const metadata = { uid: random.uuid(), creationTimestamp: formatTime(clock.now()) }
    const object = newNamespace(namespace, metadata)
    // Another request may have been faster, which is as good.
    const managedFields = ownedAsCreated(server, namespaces, object, { filled: [["f:spec"]] })
    await storage.commit([{ key, expected: 0, make: (revision) => stamped(kept.stored.encode(object), revision, managedFields) }])
  },
}

function newNamespace(name: string, metadata: Pick<Namespace["metadata"], "uid" | "creationTimestamp">): Namespace {
  return {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name }, ...metadata },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }
}
