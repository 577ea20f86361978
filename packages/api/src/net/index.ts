export {
  bitsIn,
  type Cidr,
  cidrContains,
  cidrsOverlap,
  formatCidr,
  isGlobalUnicastIp,
  isSubnet,
  lastIn,
  parseCidr,
  parseCidrOrIp,
  subnetAt,
  supernet,
} from "./cidr.ts"
export { canonicalIp, formatIp, type IpAddress, isLoopbackIp, isSameIp, parseIp } from "./ip-address.ts"
