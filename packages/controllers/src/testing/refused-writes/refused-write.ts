import type { KubeObject } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { Cluster, ClusterOptions } from "@pilothouse/testing"

/** One kind of write of one controller that the server refuses for ever, and what becomes of that. */
export interface RefusedWrite {
  /** The name it runs by. */
  readonly controller: string
  /** "POST pods", "PUT jobs/status", "PUT|PATCH pods/status". */
  readonly write: string
  readonly cluster: Omit<ClusterOptions, "layer" | "log">
  /** Made in each of the places: a namespace, after which objects of the whole cluster are named. */
  given(place: string): readonly KubeObject[]
  /** Done a while later, where it is this that asks for the write; nothing is refused before. */
  change?(running: Cluster, place: string): Promise<unknown>
  /** Done once, after that. */
  changeOnce?(running: Cluster): Promise<unknown>
  /** Whether the write was made. */
  done(running: Cluster, place: string): Promise<boolean>
  /** The reason of the event that users see, as upstream's. Absent where upstream reports nothing either. */
  readonly eventReason?: string
  /** More that must be so while it is refused. */
  meanwhile?(running: Cluster, place: string): Promise<void>
  /** Until it is done where nothing is refused; 70 s by default. */
  readonly within?: Duration
  /** A conflict with another client is not reported. */
  readonly isQuietOfConflicts?: true
  /** Changes the object: as upstream's, the controller gives it up after a number of tries, and only that brings it back. */
  touch?(running: Cluster, place: string): Promise<unknown>
  /** How long it is refused, and may take afterwards; 20 minutes by default, which is longer than the longest wait of 1000 s. */
  readonly lasts?: Duration
  /** The most tries in that time; 40 by default, which leaves room for 5 ms … 1000 s and a few events. */
  readonly maxTries?: number
}
