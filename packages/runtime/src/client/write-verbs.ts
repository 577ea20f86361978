import { apiVersionOf, type Descriptor, type KubeObject, pathOf } from "@pilothouse/api"
import { type Body, PilothouseError, type Query, valueBody } from "@pilothouse/seams"
import type { ApplyConfiguration } from "./apply-configuration.ts"
import { collectionPath, objectPath, type Target, targetRef } from "./object-path.ts"
import type { ApplyOptions, DeleteCollectionOptions, DeleteOptions, PatchOptions, PatchType, WriteOptions } from "./wire/options.ts"
import { queryOf, type Sender } from "./wire/sender.ts"

/** The verbs of a client that write; each rejects with a StatusError where the server refuses. */
export interface WriteVerbs {
  /** With a subresource, posts to it ("eviction", "binding"). */
  create<T extends KubeObject>(of: Descriptor<T>, object: T, options?: WriteOptions): Promise<T>
  /** Refused with a Conflict when the object's resourceVersion is not the newest. */
  update<T extends KubeObject>(of: Descriptor<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(of: Descriptor<T>, target: Target, patch: unknown, options?: PatchOptions): Promise<T>
  /**
   * Server-side apply: sets the fields of the configuration, which the manager then owns, and removes those that it owned before and no longer names.
   * Creates a missing object. A field that another manager owns with another value is a Conflict, unless `force` takes it over.
   */
  apply<T extends KubeObject>(of: Descriptor<T>, configuration: ApplyConfiguration<NoInfer<T>>, options?: ApplyOptions): Promise<T>
  /** Returns the object with its deletionTimestamp, or undefined when it was deleted at once. */
  delete<T extends KubeObject>(of: Descriptor<T>, target: Target, options?: DeleteOptions): Promise<T | undefined>
  deleteCollection(of: Descriptor, options?: DeleteCollectionOptions): Promise<void>
}

const patchContentTypes: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
}

const applyContentType = "application/apply-patch+yaml"

/** `manager` is the field manager of writes that name none. */
export function writeVerbs(sender: Sender, manager?: string): WriteVerbs {
  const writeQuery = ({ dryRun, fieldManager = manager, fieldValidation }: WriteOptions): Query =>
    queryOf({ dryRun: dryRun ? "All" : undefined, fieldManager, fieldValidation })

  const sendPatch = <T extends KubeObject>({ of, target, type, query, options, patch }: PatchRequest<T>): Promise<T> =>
    sender.object({
      verb: "PATCH",
      path: objectPath(of, target, options.subresource),
      query,
      headers: { "content-type": type },
      body: valueBody(patch),
      signal: options.signal,
      of,
      name: targetRef(target).name,
    })

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
    patch: async (of, target, patch, { type = "merge", ...options } = {}) =>
      sendPatch({ of, target, type: patchContentTypes[type], query: writeQuery(options), options, patch }),
    apply: async (of, configuration, { force, ...options } = {}) => {
      if (!(options.fieldManager ?? manager)) {
        throw new PilothouseError("INVALID", "expected a fieldManager for a server-side apply, found none; set fieldManager")
      }
      const query = { ...writeQuery(options), ...queryOf({ force }) }
      // The server compares both with the path before anything else.
      const patch = { ...configuration, apiVersion: apiVersionOf(of), kind: of.kind }
      return sendPatch({ of, target: patch, type: applyContentType, query, options, patch })
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

interface PatchRequest<T extends KubeObject> {
  readonly of: Descriptor<T>
  readonly target: Target
  readonly type: string
  readonly query: Query
  readonly options: WriteOptions
  readonly patch: unknown
}

function deleteBody({ dryRun, ...options }: Omit<DeleteOptions, "signal">): Body {
  return valueBody({ kind: "DeleteOptions", apiVersion: "v1", ...options, ...(dryRun && { dryRun: ["All"] }) })
}
