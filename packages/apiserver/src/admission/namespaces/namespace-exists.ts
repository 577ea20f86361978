import { notFound } from "@pilothouse/api"
import { namespaces } from "@pilothouse/api/core/v1"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionPlugin } from "../plugin.ts"

/** Refuses writes in a namespace that is not there, deletes and updates too. */
export const namespaceExists: AdmissionPlugin = {
  name: "NamespaceExists",
  validate({ server, namespace, resource }) {
    const { group, plural } = resource.descriptor
    if (namespace === undefined || (group === "" && plural === "namespaces")) return
    if (readObject(server.storage, server.registry.of(namespaces), undefined, namespace) === undefined)
      throw notFound(namespaces, namespace)
  },
}
