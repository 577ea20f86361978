import type { Descriptor, KubeObject } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { ApplyConfiguration } from "../../client/apply-configuration.ts"
import type { Client } from "../../client/client.ts"
import type { KubeOperation, ObjectRef } from "./plan.ts"

/** Finds the descriptor of an object by its apiVersion and kind. */
export type ResolveKind = (ref: Pick<ObjectRef, "apiVersion" | "kind">) => Descriptor

/** What a write to the API is executed with. */
export interface ExecuteContext {
  readonly client: Client
  readonly resolve: ResolveKind
}

/** Executes one write to the API and returns the object in the response, if any. */
export async function execute(
  operation: KubeOperation,
  { client, resolve }: ExecuteContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const of = operation.of ?? resolve(operation.object)
  switch (operation.do) {
    case "create":
      return client.create(of, operation.object, { signal })
    case "ensure":
      throw new PilothouseError(
        "INVALID",
        `expected a create or a patch of ${operation.object.kind}, found ensure; only a reconcile resolves it`,
      )
    case "update":
      return client.update(of, operation.object, { subresource: operation.subresource, signal })
    case "status":
      return client.updateStatus(of, { ...operation.object, status: operation.status } as KubeObject, { signal })
    case "patch":
      return client.patch(of, operation.object, operation.patch, { type: operation.type, subresource: operation.subresource, signal })
    case "apply":
      return client.apply(of, operation.object as ApplyConfiguration, {
        force: operation.force,
        subresource: operation.subresource,
        signal,
      })
    case "delete":
      return client.delete(of, operation.object, { ...withUid(operation.object), ...operation.options, signal })
    case "deleteCollection":
      await client.deleteCollection(of, { namespace: operation.object.metadata.namespace, ...operation.options, signal })
      return undefined
    case "evict":
      await client.evict(operation.object, { ...withUid(operation.object), ...operation.options, signal })
      return undefined
    case "bind":
      await client.bind(operation.object, operation.node, { signal })
      return undefined
  }
}

/** A name can belong to a newer object; the observed one is the one to delete. */
function withUid({ metadata: { uid } }: ObjectRef): { preconditions?: { uid: string } } {
  return uid === undefined ? {} : { preconditions: { uid } }
}
