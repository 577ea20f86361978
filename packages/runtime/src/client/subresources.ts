import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { TokenRequest } from "@pilothouse/api/authentication/v1"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import { type Pod, pods, type ServiceAccount, serviceAccounts } from "@pilothouse/api/core/v1"
import { valueBody } from "@pilothouse/seams"
import { objectPath, type Target, targetRef } from "./object-path.ts"
import type { CallOptions, EvictOptions, TokenOptions, WriteOptions } from "./wire/options.ts"
import { queryOf, type Sender } from "./wire/sender.ts"

/** The verbs of subresources. */
export interface Subresources {
  getScale(of: Descriptor, target: Target, options?: CallOptions): Promise<Scale>
  /** Sets a scale that was read (refused when it is outdated) or a number of replicas. */
  setScale(of: Descriptor, target: Target, scale: Scale | number, options?: WriteOptions): Promise<Scale>
  updateStatus<T extends KubeObject>(of: Descriptor<T>, object: T, options?: WriteOptions): Promise<T>
  /** Refused with TooManyRequests while a disruption budget forbids it. */
  evict(pod: Target, options?: EvictOptions): Promise<void>
  /** Binds a pod to a node. */
  bind(pod: Target | Pod, node: string, options?: CallOptions): Promise<void>
  /** Creates a token of a service account; it is in status.token. */
  requestToken(account: Target | ServiceAccount, options?: TokenOptions): Promise<TokenRequest>
}

/** `manager` is the field manager of writes that name none. */
export function subresources(sender: Sender, manager?: string): Subresources {
  const post = (of: Descriptor, target: Target, subresource: string, body: object, signal?: AbortSignal) =>
    sender.other({
      verb: "POST",
      path: objectPath(of, target, subresource),
      body: valueBody(body),
      signal,
      of,
      name: targetRef(target).name,
    })

  return {
    getScale: async (of, target, { signal } = {}) =>
      sender.other<Scale>({ verb: "GET", path: objectPath(of, target, "scale"), signal, of, name: targetRef(target).name }),
    setScale: async (of, target, scale, options = {}) =>
      sender.other<Scale>({ ...scaleRequest(of, target, scale, { fieldManager: manager, ...options }), of }),
    updateStatus: async (of, object, { dryRun, fieldManager = manager, signal } = {}) => {
      const query = queryOf({ dryRun: dryRun ? "All" : undefined, fieldManager })
      return sender.object({
        verb: "PUT",
        path: objectPath(of, object, "status"),
        query,
        body: valueBody(object),
        signal,
        of,
        name: object.metadata.name,
      })
    },
    async evict(pod, { signal, dryRun, ...options } = {}) {
      const deleteOptions = { ...options, ...(dryRun && { dryRun: ["All"] }) }
      await post(pods, pod, "eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: targetRef(pod), deleteOptions }, signal)
    },
    async bind(pod, node, { signal } = {}) {
      const target = { apiVersion: "v1", kind: "Node", name: node }
      await post(pods, pod, "binding", { apiVersion: "v1", kind: "Binding", metadata: bindingMetadata(pod), target }, signal)
    },
    requestToken: async (account, { audiences = [], expirationSeconds, signal } = {}) => {
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec: { audiences, expirationSeconds } }
      return post(serviceAccounts, account, "token", body, signal) as Promise<TokenRequest>
    },
  }
}

/** A number is a merge patch: it needs no resourceVersion and has no conflicts. */
function scaleRequest(of: Descriptor, target: Target, scale: Scale | number, { dryRun, fieldManager, signal }: WriteOptions) {
  const query = queryOf({ dryRun: dryRun ? "All" : undefined, fieldManager })
  const common = { path: objectPath(of, target, "scale"), query, signal, name: targetRef(target).name }
  if (typeof scale !== "number") return { ...common, verb: "PUT", body: valueBody(scale) } as const
  const headers = { "content-type": "application/merge-patch+json" }
  return { ...common, verb: "PATCH", headers, body: valueBody({ spec: { replicas: scale } }) } as const
}

/** With the uid: a pod that was created again under the same name must not be bound. */
function bindingMetadata(pod: Target): object {
  return typeof pod === "string" ? targetRef(pod) : { ...targetRef(pod), uid: pod.metadata.uid }
}
