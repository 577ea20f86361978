import { expect, test } from "vitest"
import { debugTarget } from "./leader.ts"

const facts = { own: ["192.0.2.7", "2001:db8::7"], hasAuthority: true }
const pin = "a".repeat(64)

test.each<[address: string, trust: string]>([
  ["https://127.0.0.1:10257", "pins"],
  ["https://[::1]:10257", "pins"],
  ["https://localhost:10257", "pins"],
  ["https://192.0.2.7:10257", "pins"],
  ["https://[2001:db8::7]:10257/", "pins"],
  ["https://192.0.2.8:10257", "authorities"],
  ["https://127.example.com:10257", "authorities"],
  ["https://0.0.0.0:10257", "authorities"],
  ["https://[::ffff:127.0.0.1]:10257", "authorities"],
  ["http://127.0.0.1:8080", "none"],
  ["http://127.255.255.254:8080", "none"],
  ["http://[::1]:8080", "none"],
  // A URL writes the address in four parts, whatever form it was given in.
  ["http://0x7f.1:8080", "none"],
])("%s, which a Lease names, is trusted by %s", (address, trust) => {
  expect(debugTarget({ address, lease: "kube-system/one", pins: [pin] }, facts).trust).toBe(trust)
})

test.each<[address: string, why: string]>([
  ["http://0.0.0.0:7640", "found http:// to another host"],
  ["http://localhost:7640", "found http:// to another host"],
  ["http://127.0.0.1.example.com:7640", "found http:// to another host"],
  ["http://192.0.2.7:7640", "found http:// to another host"],
  ["http://[::]:7640", "found http:// to another host"],
  ["http://[::ffff:127.0.0.1]:7640", "found http:// to another host"],
  ["https://jane:secret@127.0.0.1:10257", "without user, query and fragment"],
  ["https://127.0.0.1:10257/?delete=all&x=", "without user, query and fragment"],
  ["ftp://127.0.0.1", "without user, query and fragment"],
  ["nowhere", "without user, query and fragment"],
])("%s is not contacted, wherever the address comes from", (address, why) => {
  for (const lease of ["kube-system/one", undefined]) expect(() => debugTarget({ address, lease, pins: [pin] }, facts)).toThrow(why)
})

test("where the kubeconfig names no authority, a host that a Lease names is not contacted; one that the user names is checked by the system's", () => {
  const named = { address: "https://leader.example.com", pins: [pin] }
  const unknown = { ...facts, hasAuthority: false }
  expect(() => debugTarget({ ...named, lease: "kube-system/one" }, unknown)).toThrow("expected a certificate-authority of the cluster")
  expect(debugTarget(named, unknown)).toEqual({ server: "https://leader.example.com", trust: "authorities" })
})

test("a leader that tells no fingerprint is checked by the authority, also on this machine: any certificate would do before", () => {
  expect(debugTarget({ address: "https://127.0.0.1:10257", lease: "a/b", pins: [] }, facts).trust).toBe("authorities")
})

test("an address that would rewrite the terminal is shown without what does it", () => {
  const address = "\u001b[2Jhttp://evil\u202e"
  expect(() => debugTarget({ address, lease: "a/b", pins: [] }, facts)).toThrow(
    "the address \ufffd[2Jhttp://evil\ufffd that Lease a/b names",
  )
})
