import { deepEqual, splitKey } from "@pilothouse/api"
import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import type { ChainTask, HandlerChains } from "@pilothouse/runtime"
import { networksChanged } from "./handlers/namespace.ts"
import { MultiNamespaceInformer } from "./informer/multi-namespace-informer.ts"
import { followFile, MeshNetworksFollower } from "./networks/follow.ts"
import type { RegistryState } from "./state/state.ts"

/** Keeps the networks of a registry as a file or a ConfigMap says, where there is one. */
export class MeshFollowing {
  /** What is read before endpoints are. */
  readonly watched: readonly MultiNamespaceInformer<ConfigMap>[]
  readonly #state: RegistryState
  readonly #follower: MeshNetworksFollower

  constructor(state: RegistryState, chains: HandlerChains) {
    const { meshNetworks = {}, log } = state.options
    this.#state = state
    this.#follower = new MeshNetworksFollower({
      source: meshNetworks,
      log,
      changed: (networks) => {
        state.networks.follow(networks)
        networksChanged(state, "the mesh networks changed")
      },
    })
    this.watched = meshNetworks.configMap === undefined ? [] : [this.#watch(meshNetworks.configMap, chains)]
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, meshNetworks } = this.#state.options
    if (meshNetworks?.file !== undefined) await followFile(meshNetworks.file, this.#follower, { clock, log, signal })
  }

  #watch(
    { name, key: field = "meshNetworks" }: { readonly name: string; readonly key?: string },
    chains: HandlerChains,
  ): MultiNamespaceInformer<ConfigMap> {
    const ref = splitKey(name)
    const watched = new MultiNamespaceInformer(this.#state.options, {
      of: configMaps,
      kind: "ConfigMaps",
      equal: (old, object) => deepEqual(old.data, object.data),
      namespace: ref.namespace,
      fieldSelector: `metadata.name=${ref.name}`,
    })
    const take = ({ event, key, object }: ChainTask<ConfigMap>) => {
      // A ConfigMap that is gone keeps the last good networks: it may be in the middle of being replaced.
      if (event !== "delete") this.#follower.take(object.data?.[field], `ConfigMap ${key}`)
    }
    watched.handle(chains, take, this.#state.metrics)
    return watched
  }
}
