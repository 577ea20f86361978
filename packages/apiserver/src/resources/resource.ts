import {
  type Descriptor,
  type FieldError,
  type Int64,
  type KubeObject,
  type NameCheck,
  type Schema,
  type StatusError,
} from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { Service } from "@pilothouse/api/core/v1"
import type { Clock, Random } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { Findings } from "../body/coerce-to-schema.ts"
import type { Draft } from "../body/draft.ts"
import type { ReplicasPaths } from "../managedfields/scale-managed-fields.ts"
import type { Printer } from "../printing/columns/printer.ts"
import type { DeleteOptions } from "../request/delete-options.ts"
import type { Write } from "../storage/storage.ts"
import type { WithoutEffect } from "./without-effect.ts"

/** What a resource may ask while it gets an object ready. Allocations and other state of the server are not among it: see `reserve`. */
export interface StrategyContext {
  readonly clock: Clock
  readonly random: Random
  readonly identity: Identity
  warn(text: string): void
}

/** What the server has only once, and strategies take of it: the addresses and node ports of Services. */
export interface Allocations {
  /** Disposed when the write is over: what was stored is then known from there. */
  reserve(service: Draft<Service>, old: Service | undefined): Disposable
  /** Refuses the IPAddress that a user creates for an address which a Service is about to have. */
  refuseInFlight(address: string): void
  /** The IPAddresses that are created and deleted in the commit that takes a Service from `old` to `service`; either may be absent. */
  ipAddressWrites(service: KubeObject | undefined, old: KubeObject | undefined): readonly Write[]
}

/** What a resource may know of the definitions beside it, to decide what becomes of a new one. */
export interface OtherDefinitions {
  othersOfGroup(definition: CustomResourceDefinition): readonly CustomResourceDefinition[]
  reserveNames(definition: CustomResourceDefinition): Disposable
}

/** The states of a new object that follow its create. Disposed when the write is over, whichever way. */
export interface FollowingStates<T extends KubeObject = KubeObject> extends Disposable {
  readonly states: readonly T[]
}

/** Returns a promise while libraries are loaded that the validation of a body, or of what a patch makes, needs. */
export type LoadForBody = (clock: Clock, body: unknown) => Promise<void> | undefined

/**
 * The behaviour of a kind beyond its schema. Everything that is left out is as `generic.ts` has it.
 * Order on create: defaults, admission, prepareForCreate, validate. On update: defaults, admission, prepareForUpdate, validate, validateUpdate.
 */
export interface ResourceStrategy<T extends KubeObject = KubeObject> {
  readonly load?: LoadForBody
  /** Beyond those of the schema. Runs on every body that comes in, so it must find nothing to do on what is stored. */
  readonly defaults?: (object: Draft<T>) => void
  readonly prepareForCreate?: (object: Draft<T>, context: StrategyContext) => void
  readonly prepareForUpdate?: (object: Draft<T>, old: T, context: StrategyContext) => void
  /** After the status of a body has been joined with the rest of the old object. */
  readonly prepareForStatusUpdate?: (object: Draft<T>, old: T, context: StrategyContext) => void
  /** Takes what the server has only once (addresses, ports); disposed when the write is over, whichever way. */
  readonly reserve?: (object: Draft<T>, old: T | undefined, allocations: Allocations) => Disposable
  /** Other objects that are written in the commit which takes the object from `old` to `object`; either may be absent. */
  readonly companionWrites?: (object: T | undefined, old: T | undefined, allocations: Allocations) => readonly Write[]
  /** Status updates by which the server itself follows a create: watchers see each of them, and all are in the commit of the create. */
  readonly statesAfterCreate?: (object: T, definitions: OtherDefinitions, now: number) => FollowingStates<T>
  /** Of every write of the object itself; `old` is what an update changes. */
  readonly validate?: (object: T, old?: T) => readonly FieldError[]
  /** `given` is what the request made of it, before anything was left out or added: for messages that show it. */
  readonly validateUpdate?: (object: T, old: T, given?: unknown) => readonly FieldError[]
  /** `now` is the server's time, in milliseconds. */
  readonly validateStatusUpdate?: (object: T, old: T, now: number) => readonly FieldError[]
  /** What the validation of this update let pass because it was so before. The writer is warned of it even where something else refuses the update. */
  readonly validationWarnings?: (object: T) => readonly string[]
  /** What its writer should know of an object that is accepted: of every create and every update but those of the status. */
  readonly warnings?: (object: T, old?: T) => readonly string[]
  /** It does here what it does upstream, though not on every server: its writers are not warned. */
  readonly hasEffect?: boolean
  /** The names that are valid; DNS-1123 subdomains by default. */
  readonly names?: NameCheck
  /** Its finalizers need no domain: kinds of extensions are checked less strictly than the built-in ones. */
  readonly plainFinalizers?: boolean
  /** "spec": 1 at create, one more whenever the spec changes. A function says whether a change counts. */
  readonly generation?: "none" | "spec" | ((object: T, old: T) => boolean)
  /** A field of the object in which an empty list or map is another generation than none: upstream compares it with `reflect.DeepEqual`. */
  readonly generationInMemory?: string
  /** A new object comes with its status, as a Node does; the others begin without. */
  readonly keepsStatusOnCreate?: boolean
  /** What of the metadata a write of the status leaves as it is; nothing by default. */
  readonly statusKeeps?: "labels" | "metadata"
  /** For field selectors, beside metadata.name and metadata.namespace. */
  readonly fields?: Readonly<Record<string, (object: T) => string>>
  /** Whether an update without a resourceVersion overwrites what is there. */
  readonly unconditionalUpdate?: boolean
  readonly createOnUpdate?: boolean
  /** What a delete answers once the object is gone. */
  readonly deleteAnswer?: "object" | "status"
  readonly defaultPropagation?: "Background" | "Orphan"
  /** Said to who deletes without saying what becomes of the dependents. */
  readonly orphanWarning?: string
  /** How long the object stays after a delete, in seconds; left out for kinds that go at once. */
  readonly gracePeriod?: (object: T, options: DeleteOptions) => Int64
  /** A delete that marks an object sets no grace period, and the generation stays. */
  readonly marksTimeOnly?: boolean
  /** Runs when a delete first marks an object. */
  readonly markDeleting?: (object: Draft<T>) => void
  /** Whether an object marked for deletion may go as far as its own kind is concerned; asked when no finalizers are left. */
  readonly canFinalize?: (object: T) => boolean
  /** Milliseconds after its last write at which the server removes it. */
  readonly timeToLive?: number
  /** The kind that the refusal of a body names; its own by default. */
  readonly refusedAs?: { readonly group: string; readonly kind: string }
  /** Kept with another resource, in that one's form. */
  readonly storedAs?: StoredAs<T>
  /** Throws where no object may be created now, whatever it is. */
  readonly admitCreate?: (name: string) => void
}

export interface StoredAs<T extends KubeObject = KubeObject> {
  readonly prefix: string
  /** The apiVersion that objects are written in, of a kind that may have stored some in another one: those are written again by any update. */
  readonly version?: string
  encode(object: T): KubeObject
  decode(stored: KubeObject): T
}

/** The versions of a kind whose objects another process converts. `stored` alone then decodes what is stored in the version of the resource. */
export interface ResourceConversion {
  /** Returns stored objects as the resource shows them. */
  decode(stored: readonly KubeObject[]): Promise<readonly KubeObject[]>
  /** The same for lists and watches: each object is converted once for the resource, and `stored` decodes it from then on. */
  decodeOnce(stored: readonly KubeObject[]): Promise<readonly KubeObject[]>
  /** Returns an object of the resource in the storage version. */
  encode(object: KubeObject): Promise<KubeObject>
  /** Returns an object of any version of the kind in that of the resource. */
  from(object: KubeObject): Promise<KubeObject>
}

/** Makes objects of one kind from the bodies of requests. */
export interface ObjectDecoder {
  /** Returns the apiVersion of the kind; throws where the body says that it is of another one. */
  checkKind(value: object): string
  /**
   * Returns the server's own copy of a value; what the schema does not know is left out, and named in `findings`. What server-side apply has made of a body
   * keeps the nulls that are left to the validation.
   */
  decode(value: object, findings: Findings, isApplied: boolean): Record<string, unknown>
}

/** Where the objects of a kind have what their scale says. */
export interface Scalable {
  /** Throws where a field is of another type. */
  read(object: KubeObject): ScaleValues
  write(object: Draft<KubeObject>, replicas: number): void
  /** Returns the refusal of a scale whose object has no replicas. */
  missing(verb: string): StatusError
  /** Whose managers own the replicas. */
  readonly replicasPaths: ReplicasPaths
  readonly printer: Printer
}

export interface ScaleValues {
  /** Undefined where the object has none. */
  readonly replicas: number | undefined
  readonly statusReplicas: number
  /** Empty where there is none. */
  readonly selector: string
}

/** A kind that is served: its description and all its behaviour, with nothing left out that verbs need to ask for. */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly descriptor: Descriptor<T>
  /** "v1", "apps/v1". */
  readonly apiVersion: string
  /** "PodList", unless its definition says otherwise. */
  readonly listKind: string
  readonly schema: Schema | undefined
  /** Loads what the validation of a body needs, before it is written; undefined where everything is there. */
  readonly load?: LoadForBody | undefined
  /** Reads bodies of requests where the schema alone does not say how. */
  readonly decoder?: ObjectDecoder
  /** False for kinds that have no Go type: a strategic merge patch of them is refused. */
  readonly strategicMerge: boolean
  /** Said in every answer about the kind. */
  readonly deprecations: readonly string[]
  /** Every version of the kind, where objects of one are shown in another by a conversion. */
  readonly family?: () => readonly Resource[]
  /** Aborts when the kind is no longer served as it is: its watches end. */
  readonly closing?: AbortSignal
  /** The defaults of the schema. */
  readonly fillDefaults: (object: Draft<T>) => void
  /** What Go always writes, in parts that the server has added. */
  readonly fillZeros: (object: Draft<T>) => void
  /** The object as Go's JSON has it, explicit nulls and all: patches are made for what clients see. */
  readonly withNulls: (object: KubeObject) => unknown
  readonly strategy: ResourceStrategy<T>
  /** What of it is stored and does nothing. */
  readonly withoutEffect?: WithoutEffect
  readonly names: NameCheck
  readonly hasStatus: boolean
  readonly unconditionalUpdate: boolean
  readonly createOnUpdate: boolean
  readonly stored: StoredAs<T>
  /** Of a custom resource whose definition names a conversion webhook. */
  readonly conversion?: ResourceConversion | undefined
  /** How a custom resource is shown in a table; the other kinds have theirs in `printing`. */
  readonly printer?: Printer
  /** Of a custom resource with a scale; the workloads all have theirs in the same place. */
  readonly scalable?: Scalable
}

/** Whether a resource is that of a definition. */
export function isCustom({ family }: Pick<Resource, "family">): boolean {
  return family !== undefined
}
