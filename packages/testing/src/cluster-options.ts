import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Extension, Identity } from "@pilothouse/apiserver"
import type { CloudProvider } from "@pilothouse/cloud"
import type { CreateControllersOptions } from "@pilothouse/controllers"
import type { ProcessesOptions, SchedulerProfile, SimulatedKubeletOptions } from "@pilothouse/nodes"
import type { Client, Controller, ListOptions, Manager, Webhook } from "@pilothouse/runtime"
import type { DefinedKind } from "@pilothouse/runtime/manifests"
import type { Clock, Duration, Log, Random, Transport } from "@pilothouse/seams"

/** Options of `cluster()`. */
export interface ClusterOptions {
  /** Whether Roles and their bindings decide which user may do what. By default every user may do everything. Controllers of `extra` have the rights that `clusterRole()` of runtime derives. `Cluster.as` is a client of another user. */
  readonly rbac?: boolean
  /** Group versions that are off by default and served here, with their controllers: "storagemigration.k8s.io/v1beta1". */
  readonly enabledVersions?: readonly string[]
  /** Profiles of the scheduler, as `readProfiles` of a KubeSchedulerConfiguration returns them; the default one alone where they are left out. */
  readonly schedulerProfiles?: readonly SchedulerProfile[]
  /** Simulated nodes; 1 by default. */
  readonly nodes?: number
  /**
   * CustomResourceDefinitions, as objects, as kinds of `defineKind`, or as paths of YAML and JSON files and of directories with them. They are established before `cluster()` returns.
   * Other documents of a file are skipped.
   */
  readonly crds?: readonly (KubeObject | DefinedKind | string)[]
  /** Controllers of the controller manager, and `service` for load balancers, as --controllers takes them: ["deployment", "replicaset"], ["*", "-job"]. All of them by default. */
  readonly controllers?: readonly string[]
  /**
   * What gives Services of type LoadBalancer their addresses, where the controller `service` runs: a cloud that is only remembered, with 192.0.2.1, 192.0.2.2 …,
   * or yours, made once for this cluster: `(clock) => memoryProvider({ cloud: new MemoryCloud({ clock, fault }) })`. With `false` nothing does.
   */
  readonly loadBalancers?: false | ((clock: Clock) => CloudProvider)
  /** Their flags: { "terminated-pod-gc-threshold": 5 }. */
  readonly settings?: CreateControllersOptions["settings"]
  /** What some of them cannot do without: a CA, a signer of tokens. */
  readonly needs?: CreateControllersOptions["needs"]
  /** API prefixes that a transport of yours answers: scripted metrics under "/apis/metrics.k8s.io". */
  readonly extensions?: readonly Extension[]
  /** Controllers of your own that run beside them. A function is called at every start: controllers that remember something begin with an empty memory after a crash. */
  readonly extra?: readonly Controller[] | ((clock: Clock) => readonly Controller[])
  /**
   * Failures of `extra` controllers that the test is about: `/settings is no number/` is searched in "CONTROLLER KEY: MESSAGE". Any other fails the test: a
   * mistake of the program at the next settled(), advance() or until(), a key that has not recovered when the cluster closes. Conflicts, a RetryAfterError
   * and what a crash causes do not.
   */
  readonly expectFailure?: RegExp
  /**
   * Admission webhooks of your own, called in this process: no socket, and in virtual time. They are registered before `cluster()` returns, under the field
   * manager "webhooks".
   */
  readonly webhooks?: readonly Webhook[]
  /** Runs pods whose image is `process` as real processes on this host (in real time), or with what you start them with. Off by default. */
  readonly exec?: boolean | Pick<ProcessesOptions, "oneAddress" | "powers" | "probe" | "spawn">
  /** What gives pods their addresses; by default the simulated kubelets. */
  readonly network?: SimulatedKubeletOptions["network"]
  /** Whether the simulated kubelets record events of pods, as real ones do. Off by default: most tests would only wait for it. */
  readonly kubeletEvents?: boolean
  /** "virtual" by default: time stands still until settled(), advance() or until() move it. */
  readonly time?: "virtual" | "real"
  /** When virtual time begins: "2026-01-05T23:30:00Z". A Monday morning at nine by default. */
  readonly start?: string
  /** Where ids and jitter come from; a failing test prints it. */
  readonly seed?: number
  /** Takes every body through JSON, as a wire would. */
  readonly throughJson?: boolean
  /**
   * Shows metadata.managedFields in what `client`, `transport` and `list` return. Hidden by default, so that objects can be compared whole. The server
   * keeps them either way: conflicts of a server-side apply are found.
   */
  readonly managedFields?: boolean
  /** Intercepts the requests of the controllers: injects errors, delays and counters, as interceptors of a fake client do. */
  readonly layer?: (transport: Transport) => Transport
  /** Where the controllers log to. By default their errors are printed, so that one that throws is seen. `silentLog` of seams prints nothing. */
  readonly log?: Log
}

/** Whether what a test waits for is so by now. */
export type Condition = () => boolean | Promise<boolean>

/** A Kubernetes cluster inside this process: API server, controllers, scheduler, nodes. */
export interface Cluster extends AsyncDisposable {
  readonly client: Client
  /** A client of another user, in its groups and in system:authenticated: c.as({ name: "alice", groups: ["dev"] }). */
  as(user: Pick<Identity, "name"> & Partial<Identity>): Client
  readonly clock: Clock
  readonly random: Random
  /** The API server itself, for clients of your own. */
  readonly transport: Transport
  /** What the controllers decided, and why: `c.trace.entries()` has the last thousand reconciles, those that failed with their error. */
  readonly trace: Manager["trace"]
  /** The names of the controllers that run: "replicaset-controller". */
  readonly controllerNames: ReadonlySet<string>
  /** Applies several objects: CustomResourceDefinitions first, whose kinds are served before the rest is applied. */
  apply<const T extends readonly KubeObject[]>(objects: T): Promise<T>
  /** Creates the object, or merge-patches the one that is there. Not a server-side apply: that is `client.apply`. */
  apply<T extends KubeObject>(object: T): Promise<T>
  list<T extends KubeObject>(of: Descriptor<T>, options?: ListOptions<T>): Promise<readonly T[]>
  /** Ends when nothing is left to do at this instant. Throws STUCK, as advance and until do, when a controller never comes to rest. Virtual time only. */
  settled(): Promise<void>
  /** Lets time pass. Virtual time only. */
  advance(duration: Duration): Promise<void>
  /**
   * Lets time pass until the condition holds, which is asked at every instant at which something happens. Throws CLOCK_LIMIT after an hour without success,
   * STUCK when nothing is left that could happen. Virtual time only.
   */
  until(condition: Condition): Promise<void>
  /** Ends the controllers as a crash does (none of their active work goes any further), and starts new ones that know nothing. */
  restartControllers(): Promise<void>
  close(): Promise<void>
}
