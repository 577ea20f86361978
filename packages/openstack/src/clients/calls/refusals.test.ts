import { expect, test } from "vitest"
import type { RefusalKind } from "./errors.ts"
import { refused } from "./errors.ts"
import { keystoneRefusal, neutronRefusal, octaviaRefusal } from "./refusals.ts"

function octavia(status: number, faultstring: string) {
  return octaviaRefusal({ status, headers: {}, value: { faultcode: "Client", faultstring, debuginfo: null }, text: "" }, "POST /x")
}

function neutron(status: number, type: string) {
  return neutronRefusal({ status, headers: {}, value: { NeutronError: { type, message: "words", detail: "" } }, text: "" }, "POST /x")
}

test.each<[number, string, RefusalKind]>([
  [409, "Load Balancer 1 is immutable and cannot be updated.", "busy"],
  [409, "Pool 1 is immutable and cannot be updated.", "busy"],
  [409, "Invalid state PENDING_UPDATE of loadbalancer resource 1", "busy"],
  [409, "Another Listener on this Load Balancer is already using protocol TCP and protocol_port 82", "duplicate"],
  [409, "This listener already has a default pool", "duplicate"],
  [409, "Another member on this pool is already using ip 10.0.0.1 on protocol_port 80", "duplicate"],
  [409, "Pool 1 is in use and cannot be deleted.", "in-use"],
  [409, "something new", "conflict"],
  [400, "Validation failure: Cannot delete Load Balancer 1 - it has children", "busy"],
  [400, "Subnet 1 not found.", "not-found"],
  [400, "Unknown attribute for argument load_balancer: x", "invalid"],
  [403, "Quota has been met for resources: Load Balancer", "quota"],
  [403, "Policy does not allow this request to be performed.", "forbidden"],
  [500, "Provider 'amphora' reports error: IP address 10.20.1.1 already allocated in subnet s", "address-taken"],
  [500, "Provider 'amphora' reports error: IP address 1.2.3.4 is not a valid IP for the specified subnet.", "invalid"],
  [500, "boom", "unavailable"],
  [501, "Provider 'ovn' does not support a requested action", "unsupported"],
  [404, "Load Balancer 1 not found.", "not-found"],
])("Octavia's %i %s means %s", (status, text, kind) => {
  expect(octavia(status, text)).toMatchObject({ kind, text, status })
})

test.each<[number, string, RefusalKind]>([
  [404, "PortNotFound", "not-found"],
  [409, "IpAddressAlreadyAllocated", "address-taken"],
  [409, "IpAddressGenerationFailure", "no-address-left"],
  [409, "OverQuota", "quota"],
  [409, "SecurityGroupRuleExists", "duplicate"],
  [409, "DuplicateSubPort", "duplicate"],
  [409, "TrunkPortInUse", "in-use"],
  [409, "PortInUseAsSubPort", "in-use"],
  [409, "StateInvalid", "busy"],
  [500, "StateInvalid", "busy"],
  [412, "RevisionNumberConstraintFailed", "stale"],
  [400, "InvalidIpForSubnet", "invalid"],
  [409, "FloatingIPPortAlreadyAssociated", "conflict"],
  [503, "", "unavailable"],
  [429, "", "unavailable"],
])("Neutron's %i %s means %s", (status, type, kind) => {
  expect(neutron(status, type)).toMatchObject({ kind, type, status })
})

test("the message has the call, the status and the service's own words", () => {
  expect(refused(octavia(404, "Pool 1 not found.")).message).toBe("POST /x answered 404: Pool 1 not found.")
  const away = keystoneRefusal({ status: 503, headers: {}, value: undefined, text: "<html>away</html>" }, "POST /v3")
  expect(refused(away)).toMatchObject({ kind: "unavailable", retryable: true, message: "POST /v3 answered 503: <html>away</html>" })
})

test("Octavia's words are understood where Neutron's were expected: it may answer at the paths of neutron-lbaas", () => {
  const value = { faultcode: "Client", faultstring: "Load Balancer 1 is immutable and cannot be updated.", debuginfo: null }
  expect(neutronRefusal({ status: 409, headers: {}, value, text: "" }, "POST /x")).toMatchObject({ kind: "busy", text: value.faultstring })
})

test.each<[status: number, text: string, says: string]>([
  [404, "", "auth_url probably does not lead to a Keystone v3"],
  [405, "", "auth_url probably does not lead to a Keystone v3"],
  [200, "<html>\n<head><TITLE>\n Dashboard </TITLE></head>", "Dashboard; auth_url probably does not lead to a Keystone v3"],
  [404, "Not here", "Not here; auth_url probably does not lead to a Keystone v3"],
  [300, "", "auth_url probably does not lead to a Keystone v3"],
])("a login answered %i comes from another server, and names the address", (status, text, says) => {
  const found = keystoneRefusal({ status, headers: {}, value: undefined, text }, "POST http://k:5000/x/v3/auth/tokens")
  expect(refused(found).message).toContain(`POST http://k:5000/x/v3/auth/tokens answered ${status}: ${says}`)
})

test.each([400, 401, 403, 429, 500, 503])("a login answered %i is Keystone's own: the message does not mention auth_url", (status) => {
  expect(keystoneRefusal({ status, headers: {}, value: undefined, text: "" }, "POST /v3").text).toBe("no words")
})
