"""Short pages in 34 languages: each charset, each declaration, no to three stray bytes."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from skord.core.failures import DocumentError
from skord.html.charset.decode import CharsetSource, decode, in_utf8, prescan
from skord.html.charset.decoders import read
from skord.html.failures import ConversionFailure

TEXTS = {
    "sv": "Igår öppnades den nya bron över ån. Många människor kom, och även barnen var med och"
    " firade. Bron är trehundra meter lång, och arbetet tog fyra år.",
    "da": "I går blev den nye bro over åen åbnet. Mange mennesker mødte op, og børnene var også med"
    " til at fejre det. Broen er tre hundrede meter lang, og arbejdet tog fire år.",
    "nb": "I går ble den nye broen over elva åpnet. Mange mennesker møtte opp, og barna var også med"
    " på å feire. Broen er tre hundre meter lang, og arbeidet tok fire år.",
    "is": "Í gær var nýja brúin yfir ána opnuð. Margt fólk kom saman og börnin tóku líka þátt í"
    " hátíðinni. Brúin er þrjú hundruð metrar á lengd og verkið tók fjögur ár.",
    "fi": "Eilen avattiin uusi silta joen yli. Paikalle tuli paljon väkeä, ja lapsetkin pääsivät"
    " mukaan juhlimaan. Silta on kolmesataa metriä pitkä, ja työ kesti neljä vuotta.",
    "et": "Eile avati uus sild üle jõe. Kohale tuli palju inimesi ja ka lapsed said pidustustest osa"
    " võtta. Sild on kolmsada meetrit pikk ja töö kestis neli aastat.",
    "lv": "Vakar tika atklāts jaunais tilts pār upi. Ieradās daudz cilvēku, un arī bērni piedalījās"
    " svinībās. Tilts ir trīssimt metru garš, un darbi ilga četrus gadus.",
    "lt": "Vakar buvo atidarytas naujas tiltas per upę. Susirinko daug žmonių, ir vaikai taip pat"
    " dalyvavo šventėje. Tilto ilgis yra trys šimtai metrų, o darbai truko ketverius metus.",
    "de": "Gestern wurde die neue Brücke über den Fluss eröffnet. Viele Menschen kamen, und auch die"
    " Kinder durften mitfeiern. Die Brücke ist dreihundert Meter lang, und die Arbeiten dauerten"
    " länger als nötig.",
    "fr": "Hier, le nouveau pont sur la rivière a été ouvert. Beaucoup de gens sont venus, et les"
    " enfants ont aussi participé à la fête. Le pont mesure trois cents mètres, et les travaux ont"
    " duré quatre années.",
    "es": "Ayer se inauguró el nuevo puente sobre el río. Vino mucha gente, y los niños también"
    " participaron en la celebración. El puente tiene trescientos metros de largo y la obra duró"
    " cuatro años.",
    "pt": "Ontem foi inaugurada a nova ponte sobre o rio. Muitas pessoas vieram, e as crianças também"
    " participaram na celebração. A ponte tem trezentos metros e a construção durou quatro anos.",
    "it": "Ieri è stato aperto il nuovo ponte sul fiume. È venuta molta gente, e perché la festa fosse"
    " più bella c'erano già anche i bambini. Il ponte è lungo trecento metri, e così la città è"
    " unita.",
    "ca": "Ahir es va inaugurar el nou pont sobre el riu. Hi va venir molta gent, i els nens també van"
    " participar en la celebració. El pont fa tres-cents metres i l'obra va durar més de quatre anys.",
    "pl": "Wczoraj otwarto nowy most nad rzeką. Przyszło wielu ludzi, a dzieci również wzięły udział"
    " w uroczystości. Most ma trzysta metrów długości, a jego budowa trwała cztery lata, czyli dłużej,"
    " niż się spodziewano.",
    "cs": "Včera byl otevřen nový most přes řeku. Přišlo mnoho lidí a oslavy se zúčastnily také děti."
    " Most je dlouhý tři sta metrů a jeho stavba trvala čtyři roky.",
    "sk": "Včera otvorili nový most cez rieku. Prišlo veľa ľudí a na oslave sa zúčastnili aj deti. Most"
    " je dlhý tristo metrov a jeho stavba trvala štyri roky.",
    "sl": "Včeraj so odprli novi most čez reko. Prišlo je veliko ljudi in tudi otroci so se udeležili"
    " slavja. Most je dolg tristo metrov, gradnja pa je trajala štiri leta in je bila težka.",
    "hr": "Jučer je otvoren novi most preko rijeke. Došlo je mnogo ljudi, a i djeca su sudjelovala u"
    " slavlju. Most je dugačak tristo metara, a gradnja je trajala četiri godine, što je više nego"
    " što se očekivalo.",
    "hu": "Tegnap megnyitották az új hidat a folyó fölött. Sok ember jött el, és a gyerekek is részt"
    " vettek az ünnepségen. A híd háromszáz méter hosszú, és az építése négy évig tartott, amiből"
    " egy évet a tervezők, a többit az erős munkások töltöttek el.",
    "ro": "Ieri a fost deschis noul pod peste râu. Au venit mulţi oameni, iar copiii au participat şi"
    " ei la sărbătoare. Podul are trei sute de metri, iar lucrările au durat patru ani.",
    "sq": "Dje u hap ura e re mbi lumë. Erdhën shumë njerëz, dhe fëmijët gjithashtu morën pjesë në"
    " festë. Ura është treqind metra e gjatë, dhe punimet zgjatën katër vjet.",
    "tr": "Dün nehrin üzerindeki yeni köprü açıldı. Birçok insan geldi ve çocuklar da kutlamaya"
    " katıldı. Köprünün uzunluğu üç yüz metre ve inşaatı dört yıl sürdü.",
    "ru": "Вчера открыли новый мост через реку. Пришло много людей, и дети тоже участвовали в"
    " празднике. Длина моста триста метров, а работы продолжались четыре года.",
    "uk": "Учора відкрили новий міст через річку. Прийшло багато людей, і діти також брали участь у"
    " святі. Довжина моста триста метрів, а роботи тривали чотири роки.",
    "bg": "Вчера беше открит новият мост над реката. Дойдоха много хора, а децата също участваха в"
    " празника. Мостът е дълъг триста метра, а строежът продължи четири години.",
    "el": "Χθες άνοιξε η νέα γέφυρα πάνω από το ποτάμι. Ήρθε πολύς κόσμος, και τα παιδιά πήραν επίσης"
    " μέρος στη γιορτή. Η γέφυρα έχει μήκος τριακόσια μέτρα, και τα έργα κράτησαν τέσσερα χρόνια.",
    "he": "אתמול נפתח הגשר החדש מעל הנהר. אנשים רבים הגיעו, וגם הילדים השתתפו בחגיגה. אורך הגשר שלוש"
    " מאות מטרים, והעבודות נמשכו ארבע שנים.",
    "ar": "افتتح أمس الجسر الجديد فوق النهر. جاء كثير من الناس، وشارك الأطفال أيضا في الاحتفال. يبلغ"
    " طول الجسر ثلاثمائة متر، واستغرق العمل أربع سنوات.",
    "th": "เมื่อวานนี้มีการเปิดสะพานใหม่ข้ามแม่น้ำ มีคนมามากมาย และเด็กๆ ก็ร่วมฉลองด้วย"
    " สะพานยาวสามร้อยเมตร และใช้เวลาก่อสร้างสี่ปี",
    "ja": "昨日、川にかかる新しい橋が開通しました。大勢の人が訪れ、子どもたちも祝いに加わりました。"
    "橋の長さは三百メートルで、工事には四年かかりました。",
    "zh": "昨天，横跨河流的新桥正式开通。许多人前来参观，孩子们也参加了庆祝活动。这座桥长三百米，"
    "工程用了四年时间。",
    "zh-TW": "昨天，橫跨河流的新橋正式開通。許多人前來參觀，孩子們也參加了慶祝活動。這座橋長三百公尺，"
    "工程用了四年時間。",
    "ko": "어제 강을 가로지르는 새 다리가 개통되었다. 많은 사람들이 찾아왔고 아이들도 축하 행사에"
    " 참여했다. 다리의 길이는 삼백 미터이며 공사에는 사 년이 걸렸다.",
}

WESTERN = {"windows-1252": "cp1252", "iso-8859-15": "iso8859-15"}
BALTIC = {"windows-1257": "cp1257", "iso-8859-13": "iso8859-13", "iso-8859-4": "iso8859-4"}
CENTRAL = {"windows-1250": "cp1250", "iso-8859-2": "iso8859-2"}
CYRILLIC = {"windows-1251": "cp1251", "koi8-u": "koi8-u", "iso-8859-5": "iso8859-5"}
RUSSIAN = {**CYRILLIC, "koi8-r": "koi8-r", "ibm866": "cp866", "x-mac-cyrillic": "mac-cyrillic"}
CHARSETS: dict[str, dict[str, str]] = {
    **dict.fromkeys(
        ["sv", "da", "nb", "is", "fi", "et", "de", "fr", "es", "pt", "it", "ca", "sq"], WESTERN
    ),
    **dict.fromkeys(["lv", "lt"], BALTIC),
    **dict.fromkeys(["pl", "cs", "sk", "sl", "hr", "hu", "ro"], CENTRAL),
    "tr": {"windows-1254": "cp1254"},
    "ru": RUSSIAN,
    "uk": {"windows-1251": "cp1251", "koi8-u": "koi8-u"},
    "bg": {"windows-1251": "cp1251", "iso-8859-5": "iso8859-5"},
    "el": {"windows-1253": "cp1253", "iso-8859-7": "iso8859-7"},
    "he": {"windows-1255": "cp1255", "iso-8859-8": "iso8859-8"},
    "ar": {"windows-1256": "cp1256", "iso-8859-6": "iso8859-6"},
    "th": {"windows-874": "cp874"},
    "ja": {"shift_jis": "cp932", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp"},
    "zh": {"gbk": "gbk", "gb18030": "gb18030"},
    "zh-TW": {"big5": "big5"},
    "ko": {"euc-kr": "cp949"},
}
"""Language -> label, and the codec of Python that writes it."""

TRUE = "true"
DECLARED = (
    (None, None),
    (TRUE, None),
    (None, TRUE),
    ("iso-8859-1", None),
    (None, "windows-1252"),
    ("utf-8", None),
    (TRUE, "iso-8859-1"),
    ("utf-8", "utf-8"),
)
"""What `<meta>` and the header say."""

STRAY = {
    "utf-8": (b"\xa0", b"\xc3", b"\xe9", b"\xff", b"\x92"),
    "windows-1252": (b"\x81", b"\x8d", b"\x9d"),
    "windows-1251": (b"\x98",),
    "windows-1253": (b"\x81", b"\x8e", b"\xff", b"\xd2"),
    "windows-1255": (b"\x81", b"\xd9", b"\xff"),
    "windows-1257": (b"\x81", b"\x83", b"\x9f"),
    "windows-1250": (b"\x81", b"\x83", b"\x98"),
    "windows-1254": (b"\x81", b"\x8d", b"\x9d"),
    "windows-874": (b"\x81", b"\xfc", b"\xdb"),
    "shift_jis": (b"\xff", b"\xa0"),
    "gbk": (b"\x80", b"\xff"),
    "gb18030": (b"\x80", b"\xff"),
    "big5": (b"\xff", b"\x80"),
    "euc-kr": (b"\xff", b"\x80"),
    "euc-jp": (b"\xff", b"\x80", b"\xad\xa1", b"\xad\xea"),
    "iso-2022-jp": (b"\x1b$B-!\x1b(B", b"\x1b$B-j\x1b(B", b"\x80"),
}
"""Bytes that the codecs of Python have no character for, or that are none alone."""


class Page(NamedTuple):
    """A page, what the server says, and what of the text has to come out."""

    name: str
    body: bytes
    content_type: str
    text: str


def pages() -> Iterator[Page]:
    """Yield the grid."""
    rng = random.Random(31)
    for language, text in TEXTS.items():
        for label, codec in {**CHARSETS[language], "utf-8": "utf-8"}.items():
            for number, (meta, header) in enumerate(DECLARED):
                for strays in (0, 1 + number % 3) if label in STRAY else (0,):
                    said = [label if one == TRUE else one for one in (meta, header)]
                    start = f'<html><head><meta charset="{said[0]}">' if meta else "<html><head>"
                    body = f"{start}<title>x</title></head><body><p>{text}</p>".encode(codec)
                    for _ in range(strays):
                        body += b"<p>x " + rng.choice(STRAY[label]) + b" 5</p>"
                    kind = f"text/html; charset={said[1]}" if header else "text/html"
                    yield Page(f"{language} {label} {meta} {header} {strays}", body, kind, text)


@functools.cache
def grid() -> dict[str, list[Page]]:
    """Its pages by their language."""
    made: dict[str, list[Page]] = {language: [] for language in TEXTS}
    for page in pages():
        made[page.name.split(" ")[0]].append(page)
    return made


@pytest.mark.parametrize("language", TEXTS)
def test_short_pages_come_out_whole_under_any_declaration(language):
    made = grid()[language]

    wrong = [page.name for page in made if page.text not in decode(*page[1:3]).text]

    assert len(made) >= 32
    assert wrong == []


@pytest.mark.parametrize("header", [None, "text/html", "text/html; charset=utf-8"])
def test_bytes_that_are_no_text_are_said_to_be_none(header):
    noise = random.Random(4).randbytes(4_000)

    assert decode(b"<html>" + noise, header).source is CharsetSource.unreadable
    with pytest.raises(DocumentError) as caught:
        in_utf8(noise, header)
    assert caught.value.code is ConversionFailure.undecodable


@pytest.mark.parametrize("codec", ["cp1257", "iso8859-4"])
def test_entities_of_a_baltic_charset_are_put_right(codec):
    text = TEXTS["lv"] * 2
    entities = text.encode(codec).decode("latin-1").encode("ascii", "xmlcharrefreplace")

    assert text in decode(b"<p>" + entities).text


@pytest.mark.parametrize(
    ("start", "charsets"),
    [
        (
            b"<meta name=Content-Type content='text/html; charset=koi8-r'><meta charset=gbk>",
            ["gbk"],
        ),
        (b"<meta content='text/html; charset=gbk'>", []),
        (b"<meta content='charset=gbk' http-equiv='content-type'>", ["gbk"]),
        (b"<p title='<meta charset=gbk>'>", []),
        (b'<!-- <meta charset=gbk> --><meta charset = "big5">', ["big5"]),
        (b"<metadata charset=gbk><meta/charset=utf-16>", ["utf-8"]),
        (b"<meta charset=x-user-defined>", ["windows-1252"]),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><html>", ["iso-8859-2"]),
        (b"<meta charset='gbk>", []),
    ],
)
def test_declarations_are_those_of_the_html_standard(start, charsets):
    assert list(prescan(start)) == charsets


def test_a_stray_byte_of_a_windows_charset_leaves_no_sign():
    body = f"<p>{TEXTS['ru']}<p>x".encode("cp1251") + b"\x98y"

    assert decode(body, "text/html; charset=windows-1251").text.endswith("<p>xy")


def test_every_character_of_jis_x_0208_with_nec_and_ibm_rows_is_read():
    """The table of EUC-JP and ISO-2022-JP is that of Shift_JIS."""
    codes = [bytes([lead, trail]) for lead in range(0xA1, 0xFF) for trail in range(0xA1, 0xFF)]
    texts = [read(code, "euc-jp", "ignore") for code in codes]
    shifted = [b"\x1b$B" + bytes(byte & 0x7F for byte in code) + b"\x1b(B" for code in codes]

    assert sum(map(bool, texts)) == 7336
    assert [read(code, "iso-2022-jp", "ignore") for code in shifted] == texts
