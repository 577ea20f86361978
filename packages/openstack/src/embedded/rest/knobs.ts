/** What can be turned while the cloud runs. */
export interface EmbeddedKnobs {
  /** Milliseconds until a bound port turns ACTIVE; 500 at first. */
  portDelay: number | "never"
  /** Milliseconds that each piece of work of Octavia takes, during which the load balancer is immutable; 1000 at first. */
  loadBalancerDelay: number
  /** Octavia's work fails: a new load balancer, or the child that was changed, goes to ERROR. */
  loadBalancerFails: boolean
  /** The newest minor version that Octavia says it has. Below 5 it knows no tags; 26 at first. */
  octaviaMinor: number
  /** Milliseconds that every call takes; 0 at first. */
  latency: number
  /** The hosts with an agent: only there ports get bound. "any" at first. */
  hosts: "any" | readonly string[]
  /** How long a token is good for, in milliseconds; a day at first. */
  tokenLife: number
}

/** Returns the settings of a cloud that behaves well; durations in milliseconds. */
export function defaultKnobs(): EmbeddedKnobs {
  return {
    portDelay: 500,
    loadBalancerDelay: 1_000,
    loadBalancerFails: false,
    octaviaMinor: 26,
    latency: 0,
    hosts: "any",
    tokenLife: 86_400_000,
  }
}
