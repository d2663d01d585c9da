import { getDomain } from 'tldts-icann'

import type { PrismaHandle, Transaction } from '../database/database.ts'
import { parseLinks } from '../content-policy/links.ts'
import { plainText } from '../content-policy/plain-text.ts'

/** Stores the hosts of approved links, except shared hosts, or deletes the hosts of a rejected text. */
export async function updateApprovedHosts(
  tx: Transaction,
  texts: readonly string[],
  decision: 'approved' | 'rejected',
): Promise<void> {
  const links = texts.flatMap((text) => parseLinks(plainText(text))).filter((link) => link !== undefined)
  const linkedHosts = [...new Set(links.map(({ host }) => host))].sort()
  const hosts = decision === 'approved' ? linkedHosts.filter((host) => !isSharedHost(host)) : linkedHosts
  if (hosts.length === 0) return
  if (decision === 'rejected') {
    await tx.prisma.moderationHost.deleteMany({ where: { host: { in: hosts } } })
  } else {
    await tx.prisma.moderationHost.createMany({ data: hosts.map((host) => ({ host })), skipDuplicates: true })
  }
}

/** Returns the hosts that a moderator approved and none rejected since. */
export async function filterApprovedHosts(db: PrismaHandle, hosts: readonly string[]): Promise<string[]> {
  // The list of excluded hosts may have grown since a host was approved.
  const candidates = hosts.filter((host) => !isSharedHost(host))
  const rows = await db.prisma.moderationHost.findMany({ where: { host: { in: candidates } }, orderBy: { host: 'asc' } })
  return rows.map(({ host }) => host)
}

/** The links of URL shorteners may redirect anywhere and change later. */
const shorteners = [
  't.co bit.ly bitly.com j.mp tinyurl.com tiny.cc tiny.one goo.gl g.co is.gd v.gd ow.ly buff.ly cutt.ly rebrand.ly t.ly s.id rb.gy',
  'shorturl.at short.io short.gy lnkd.in fb.me amzn.to a.co youtu.be wp.me dlvr.it ift.tt trib.al tr.im po.st soo.gd bl.ink u.to clck.ru vk.cc',
  'adf.ly sh.st bc.vc q.gs ouo.io shorte.st linkvertise.com gg.gg urlz.fr lc.cx x.co x.gd bit.do mcaf.ee qr.ae qr.net snip.ly smarturl.it yourls.org',
  'hyperurl.co lnk.to linktr.ee linkin.bio beacons.ai onelink.to app.link page.link qrco.de me-qr.com dub.co dub.sh kutt.it db.tt git.io redd.it',
  'spoti.fi apple.co aka.ms nyti.ms wa.me t.me 1url.com iplogger.org grabify.link cli.gs snipurl.com tr.ee dwz.cn t.cn url.cn suo.im',
]
const userContentHosts = [
  'google.com googleusercontent.com facebook.com instagram.com threads.net x.com twitter.com tiktok.com snapchat.com pinterest.com linkedin.com',
  'reddit.com tumblr.com vk.com ok.ru telegram.org telegra.ph whatsapp.com discord.com discord.gg weibo.com youtube.com youtube-nocookie.com',
  'vimeo.com dailymotion.com twitch.tv soundcloud.com spotify.com bing.com yahoo.com duckduckgo.com yandex.com yandex.ru baidu.com archive.org archive.ph',
  'medium.com substack.com wordpress.com blogspot.com blogger.com wix.com wixsite.com weebly.com squarespace.com livejournal.com notion.so notion.site',
  'github.com gitlab.com bitbucket.org pastebin.com dropbox.com box.com mega.nz mediafire.com wetransfer.com onedrive.com live.com sharepoint.com icloud.com',
  'imgur.com flickr.com ibb.co postimg.cc scribd.com issuu.com slideshare.net canva.com typeform.com jotform.com surveymonkey.com eventbrite.com meetup.com',
  'gofundme.com change.org ebay.com etsy.com amazon.com aliexpress.com craigslist.org airtable.com trello.com carrd.co about.me quora.com wikipedia.org',
]
const sharedHosts = new Set([...shorteners, ...userContentHosts].flatMap((line) => line.split(' ')))

/** Approval of one URL of a shared host says nothing about others. The list cannot be complete. @param host from `createLinks` */
function isSharedHost(host: string): boolean {
  return sharedHosts.has(host) || sharedHosts.has(getDomain(host) ?? host)
}
