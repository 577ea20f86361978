export interface Cost {
  /** Objects made, changed or deleted by the controller; a pod that its kubelet deletes as well counts once. */
  readonly objects: number
  /** How often the status was written. */
  readonly statuses: number
}

/** Counts what a controller itself wrote, of all recorded writes: events, bindings and what kubelets write are not its own. */
export function costOf(writes: readonly string[]): Cost {
  const made = writes.filter((write) => /^POST .*\/(pods|controllerrevisions|persistentvolumeclaims)$/.test(write))
  const changed = writes.filter((write) => /^PUT .*\/(pods|controllerrevisions|persistentvolumeclaims)\/[^/]+$/.test(write))
  const gone = new Set(writes.filter((write) => /^DELETE .*\/(pods|controllerrevisions|persistentvolumeclaims)\/[^/]+$/.test(write)))
  const statuses = writes.filter((write) => /^PUT .*\/(daemonsets|statefulsets)\/[^/]+\/status$/.test(write))
  return { objects: made.length + changed.length + gone.size, statuses: statuses.length }
}
