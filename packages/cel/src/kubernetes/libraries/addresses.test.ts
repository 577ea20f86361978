import { describe } from "vitest"
import { itComesTo } from "../../testing/expression-table.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"

const environment = kubernetesEnvironment()

describe("texts that are addresses", () => {
  itComesTo(
    [
      ["isIP('10.1.2.3')", "true", 1],
      ["isIP('0.0.0.0')", "true", 1],
      ["isIP('255.255.255.255')", "true", 2],
      ["isIP('fe80::1')", "true", 1],
      ["isIP('2001:db8:0:0:1::')", "true", 2],
      ["isIP('FE80::A')", "true", 1],
      ["isIP('::')", "true", 1],
      ["isIP('10.1.2')", "false", 1],
      ["isIP('10.1.2.3.4')", "false", 1],
      ["isIP('10.1.2.256')", "false", 1],
      ["isIP('010.1.2.3')", "false", 1],
      ["isIP('::ffff:10.1.2.3')", "false", 2],
      ["isIP('fe80::1%eth0')", "false", 2],
      ["isIP('host')", "false", 1],
      ["isIP('')", "false", 0],
      ["isIP(' 10.1.2.3')", "false", 1],
      ["isIP('10.1.2.0/24')", "false", 2],
      [
        "ip('10.1.2.256')",
        'fails: IP Address "10.1.2.256" parse error during conversion from string: ParseAddr("10.1.2.256"): IPv4 field has value >255',
        1,
      ],
      [
        "ip('10.1.2')",
        'fails: IP Address "10.1.2" parse error during conversion from string: ParseAddr("10.1.2"): IPv4 address too short',
        1,
      ],
      ["ip('::ffff:10.1.2.3')", 'fails: IPv4-mapped IPv6 address "::ffff:10.1.2.3" is not allowed', 2],
      ["ip('fe80::1%eth0')", 'fails: IP address "fe80::1%eth0" with zone value is not allowed', 2],
      ["ip('host')", 'fails: IP Address "host" parse error during conversion from string: ParseAddr("host"): unable to parse IP', 1],
      ["ip.isCanonical('10.1.2.3')", "true", 2],
      ["ip.isCanonical('fe80::a')", "true", 2],
      ["ip.isCanonical('FE80::A')", "false", 2],
      ["ip.isCanonical('2001:db8:0:0:1:0:0:1')", "false", 4],
      ["ip.isCanonical('2001:db8::1:0:0:1')", "true", 4],
      [
        "ip.isCanonical('no address')",
        'fails: IP Address "no address" parse error during conversion from string: ParseAddr("no address"): unable to parse IP',
        2,
      ],
      ["string(ip('10.1.2.3'))", '"10.1.2.3"', 2],
      ["string(ip('2001:DB8:0:0:0:0:0:1'))", '"2001:db8::1"', 3],
      ["type(ip('10.1.2.3')) == net.IP", "true", 3],
      ["ip('2001:db8::1') == ip('2001:DB8:0::1')", "true", 5],
      ["ip('10.1.2.3') == ip('10.1.2.4')", "false", 3],
      ["ip('10.1.2.3') != ip('::1')", "true", 3],
      ["ip('10.1.2.3') == '10.1.2.3'", "refused: found no matching overload for '_==_' applied to '(net.IP, string)'", 0],
    ],
    environment,
  )
})

describe("what addresses are for", () => {
  itComesTo(
    [
      ["ip('10.1.2.3').family()", "4", 2],
      ["ip('fe80::1').family()", "6", 2],
      ["ip('0.0.0.0').isUnspecified()", "true", 2],
      ["ip('::').isUnspecified()", "true", 2],
      ["ip('10.1.2.3').isUnspecified()", "false", 2],
      ["ip('127.8.8.8').isLoopback()", "true", 2],
      ["ip('::1').isLoopback()", "true", 2],
      ["ip('128.0.0.1').isLoopback()", "false", 2],
      ["ip('224.0.0.251').isLinkLocalMulticast()", "true", 3],
      ["ip('ff02::fb').isLinkLocalMulticast()", "true", 2],
      ["ip('224.1.0.1').isLinkLocalMulticast()", "false", 2],
      ["ip('169.254.9.9').isLinkLocalUnicast()", "true", 3],
      ["ip('fe80::9').isLinkLocalUnicast()", "true", 2],
      ["ip('169.253.9.9').isLinkLocalUnicast()", "false", 3],
      ["ip('8.8.8.8').isGlobalUnicast()", "true", 2],
      ["ip('192.168.1.1').isGlobalUnicast()", "true", 3],
      ["ip('2001:db8::9').isGlobalUnicast()", "true", 3],
      ["ip('255.255.255.255').isGlobalUnicast()", "false", 3],
      ["ip('127.0.0.1').isGlobalUnicast()", "false", 2],
      ["ip('ff00::1').isGlobalUnicast()", "false", 2],
    ],
    environment,
  )
})

describe("blocks", () => {
  itComesTo(
    [
      ["isCIDR('10.0.0.0/8')", "true", 1],
      ["isCIDR('10.1.2.3/8')", "true", 1],
      ["isCIDR('2001:db8::/32')", "true", 2],
      ["isCIDR('10.0.0.0/33')", "false", 2],
      ["isCIDR('10.0.0.0/-1')", "false", 2],
      ["isCIDR('10.0.0.0/08')", "false", 2],
      ["isCIDR('10.0.0.0')", "false", 1],
      ["isCIDR('::ffff:10.0.0.0/100')", "false", 2],
      ["isCIDR('fe80::%eth0/64')", "false", 2],
      ["isCIDR('')", "false", 0],
      [
        "cidr('10.0.0.0/33')",
        'fails: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/33"): prefix length out of range',
        2,
      ],
      [
        "cidr('10.0.0/8')",
        'fails: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0/8"): ParseAddr("10.0.0"): IPv4 address too short',
        1,
      ],
      [
        "cidr('words')",
        "fails: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(\"words\"): no '/'",
        1,
      ],
      ["type(cidr('10.0.0.0/8')) == net.CIDR", "true", 3],
      ["cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", "true", 4],
      ["cidr('10.1.2.3/8') == cidr('10.0.0.0/8')", "false", 3],
      ["cidr('2001:db8::9/32').masked() == cidr('2001:db8::/32')", "true", 6],
      ["cidr('10.1.2.3/8').ip() == ip('10.1.2.3')", "true", 4],
      ["cidr('2001:db8::9/32').ip().family()", "6", 4],
      ["cidr('10.0.0.0/8').prefixLength()", "8", 2],
      ["cidr('::/0').prefixLength()", "0", 2],
      ["cidr('10.0.0.0/8').containsIP('10.9.9.9')", "true", 3],
      ["cidr('10.0.0.0/8').containsIP(ip('10.9.9.9'))", "true", 3],
      ["cidr('10.0.0.0/8').containsIP('11.0.0.0')", "false", 3],
      ["cidr('10.0.0.0/8').containsIP('::1')", "false", 3],
      ["cidr('10.0.0.0/8').containsIP('words')", "fails: no such overload", 3],
      ["cidr('2001:db8::/32').containsIP('2001:db8:ffff::1')", "true", 5],
      ["cidr('2001:db8::/32').containsIP(ip('2001:db9::'))", "false", 4],
      ["cidr('0.0.0.0/0').containsIP('255.1.1.1')", "true", 2],
      ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "true", 6],
      ["cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))", "true", 5],
      ["cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')", "false", 6],
      ["cidr('10.0.0.0/8').containsCIDR('2001:db8::/32')", "false", 6],
      [
        "cidr('10.0.0.0/8').containsCIDR('words')",
        "fails: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(\"words\"): no '/'",
        5,
      ],
      ["cidr('2001:db8::/32').containsCIDR(cidr('2001:db8:1::/48'))", "true", 7],
      ["string(cidr('10.1.2.3/8'))", '"10.1.2.3/8"', 2],
      ["ip('10.1.2.3') + ip('10.1.2.3')", "refused: found no matching overload for '_+_' applied to '(net.IP, net.IP)'", 0],
      ["ip('10.1.2.3').masked()", "refused: found no matching overload for 'masked' applied to 'net.IP.()'", 0],
      ["isIP(10)", "refused: found no matching overload for 'isIP' applied to '(int)'", 0],
      ["cidr('10.0.0.0/8').containsIP(10)", "refused: found no matching overload for 'containsIP' applied to 'net.CIDR.(int)'", 0],
    ],
    environment,
  )
})
