import { type Descriptor, type KubeObject, pathOf } from "@pilothouse/api"
import { type Body, PilothouseError, type Query, valueBody } from "@pilothouse/seams"
import { collectionPath, objectPath, type Target, targetRef } from "./object-path.ts"
import type { DeleteCollectionOptions, DeleteOptions, PatchOptions, PatchType, WriteOptions } from "./options.ts"
import { queryOf, type Sender } from "./sender.ts"

export interface WriteVerbs {
  /** With a subresource, posts to it ("eviction", "binding"). */
  create<T extends KubeObject>(of: Descriptor<T>, object: T, options?: WriteOptions): Promise<T>
  /** Refused with a Conflict when the object's resourceVersion is not the newest. */
  update<T extends KubeObject>(of: Descriptor<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(of: Descriptor<T>, target: Target, patch: unknown, options?: PatchOptions): Promise<T>
  /** Returns the object with its deletionTimestamp, or undefined when it was deleted at once. */
  delete<T extends KubeObject>(of: Descriptor<T>, target: Target, options?: DeleteOptions): Promise<T | undefined>
  deleteCollection(of: Descriptor, options?: DeleteCollectionOptions): Promise<void>
}

const patchContentTypes: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
}

export function writeVerbs(sender: Sender): WriteVerbs {
  return {
    create: async (of, object, options = {}) => {
      const { name, namespace } = object.metadata
      const path = options.subresource ? objectPath(of, object, options.subresource) : collectionPath(of, namespace)
      return sender.object({ verb: "POST", path, query: writeQuery(options), body: valueBody(object), signal: options.signal, of, name })
    },
    update: async (of, object, options = {}) => {
      const path = objectPath(of, object, options.subresource)
      return sender.object({
        verb: "PUT",
        path,
        query: writeQuery(options),
        body: valueBody(object),
        signal: options.signal,
        of,
        name: object.metadata.name,
      })
    },
    patch: async (of, target, patch, { type = "merge", force, ...options } = {}) => {
      if (type === "apply" && !options.fieldManager) {
        throw new PilothouseError("INVALID", "expected a fieldManager for a server-side apply, found none; set fieldManager")
      }
      const path = objectPath(of, target, options.subresource)
      const headers = { "content-type": patchContentTypes[type] }
      const query = { ...writeQuery(options), ...queryOf({ force }) }
      return sender.object({
        verb: "PATCH",
        path,
        query,
        headers,
        body: valueBody(patch),
        signal: options.signal,
        of,
        name: targetRef(target).name,
      })
    },
    async delete<T extends KubeObject>(of: Descriptor<T>, target: Target, { signal, ...options }: DeleteOptions = {}) {
      const { name } = targetRef(target)
      const answer = await sender.object({ verb: "DELETE", path: objectPath(of, target), body: deleteBody(options), signal, of, name })
      return answer.kind === of.kind ? answer : undefined
    },
    async deleteCollection(of, { namespace, labelSelector, fieldSelector, signal, ...options } = {}) {
      const query = queryOf({ labelSelector, fieldSelector })
      await sender.other({ verb: "DELETE", path: pathOf(of, { namespace }), query, body: deleteBody(options), signal, of })
    },
  }
}

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  return queryOf({ dryRun: dryRun ? "All" : undefined, fieldManager, fieldValidation })
}

function deleteBody({ dryRun, ...options }: Omit<DeleteOptions, "signal">): Body {
  return valueBody({ kind: "DeleteOptions", apiVersion: "v1", ...options, ...(dryRun && { dryRun: ["All"] }) })
}
