import type { ApiServer, ApiServerOptions } from "@pilothouse/apiserver"
import {
  accountUser,
  type ControllerUser,
  controllerRoles,
  controllerUser,
  discoveryRole,
  kubeletClientRole,
  kubeletRole,
  kuryrRole,
  managerUser,
  metricsRole,
} from "@pilothouse/controllers"
import { type Client, createClient } from "@pilothouse/runtime"
import { type Clock, lazy, type Transport } from "@pilothouse/seams"
import type { TurnGate } from "../process/turn-gate.ts"
import type { EmbeddedClusterOptions } from "./cluster.ts"

/** Returns what the parts of an embedded cluster may do beside upstream's bootstrap policy. */
export function componentRolesOf({ openstack }: Pick<EmbeddedClusterOptions, "openstack">): ApiServerOptions["componentRoles"] {
  return [...controllerRoles, kubeletRole, kubeletClientRole, metricsRole, discoveryRole, ...(openstack ? [kuryrRole] : [])]
}

export interface AccountsOptions {
  readonly clock: Clock
  readonly turns: Pick<TurnGate, "over">
  /** Called with the first request. */
  readonly server: () => Pick<ApiServer, "transport">
  /** Without, every part works as the administrator: every authenticated user may do everything anyway. */
  readonly isEnforced: boolean
}

/** How each part of an embedded cluster reaches the API server: as an account that has the rights it needs and no others. */
export class Accounts {
  readonly #options: AccountsOptions
  /** Caches and events of all controllers. */
  readonly manager: () => Transport
  /** Creates what a cluster begins with, and what a user applies. */
  readonly admin: () => Client
  readonly kubelet: () => Client
  readonly metrics: () => Client
  readonly discovery: () => Client

  constructor(options: AccountsOptions) {
    this.#options = options
    this.manager = () => this.#transport(managerUser)
    this.admin = lazy(() => this.#client(undefined))
    this.kubelet = lazy(() => this.#client(accountUser(kubeletRole.account)))
    this.metrics = lazy(() => this.#client(accountUser(metricsRole.account)))
    this.discovery = lazy(() => this.#client(accountUser(discoveryRole.account)))
  }

  /** The transport that a controller writes through. */
  readonly controller = (name: string): Transport => this.#transport(controllerUser(name))

  /** The transport of all handlers of OpenStack. */
  readonly kuryr = (): Transport => this.#transport(accountUser(kuryrRole.account))

  #transport(user: ControllerUser | undefined): Transport {
    const { turns, server, isEnforced } = this.#options
    return turns.over(server().transport(isEnforced ? user : undefined))
  }

  #client(user: ControllerUser | undefined): Client {
    return createClient(this.#transport(user), { clock: this.#options.clock, userAgent: "pilothouse" })
  }
}
