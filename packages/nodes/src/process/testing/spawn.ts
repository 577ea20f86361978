import type { HostPowers } from "../security/credentials.ts"
import type { ProbeHost, ProcessCall, ProcessListener, SpawnProcess } from "../system/spawn.ts"

/** A process of a test: it does what the test says, and receives what it is sent. */
export interface FakeProcess extends ProcessCall, ProcessListener {
  readonly signals: string[]
}

/** A host whose processes a test starts, observes and ends. */
export interface FakeHost {
  readonly spawn: SpawnProcess
  readonly probe: ProbeHost
  readonly started: FakeProcess[]
  readonly powers: () => Promise<HostPowers>
  /** Whether the ports answer. */
  well: boolean
  /** Whether SIGTERM ends them. */
  obedient: boolean
  /** Whether no signal ends them: the test does. */
  stubborn: boolean
}

/** A program of root on a system that has all it needs. */
export const asRoot: HostPowers = {
  uid: 0,
  gid: 0,
  groups: [0],
  canSetUser: true,
  canDropCapabilities: true,
  setpriv: { setpriv: "/usr/bin/setpriv", env: "/usr/bin/env" },
  account: (uid) => (uid === 65_534 ? { gid: 65_533, home: "/nonexistent" } : undefined),
}

/** Returns a host without processes. */
export function fakeHost(): FakeHost {
  const answer = async () => {
    if (!host.well) throw new Error("connection refused")
  }
  const host: FakeHost = {
    started: [],
    well: true,
    obedient: true,
    stubborn: false,
    probe: { tcp: answer, http: answer },
    powers: async () => asRoot,
    spawn: async (call, listener) => {
      if (call.argv[0] === "nowhere") throw new Error("cannot start nowhere: ENOENT")
      const signals: string[] = []
      host.started.push({ ...call, signals, line: (text) => listener.line(text), end: (end) => listener.end(end) })
      return {
        signal: (name) => {
          signals.push(name)
          if (host.stubborn) return
          if (name === "SIGKILL") listener.end({ exitCode: 137 })
          else if (host.obedient) listener.end({ exitCode: 0 })
        },
      }
    },
  }
  return host
}
