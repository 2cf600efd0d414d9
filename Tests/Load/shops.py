"""Plausible Korean businesses, the same ones each time."""

import csv
import random

BEGINNINGS = (
    "가온 나래 다솜 라온 마루 바다 사랑 아침 자연 하늘 해피 굿모닝 그린 블루 레드 골드 실버 퍼스트 스마트 해맑은 우리 온누리 한솔 두레 새봄 "
    "미소 보람 소망 은하 청정 푸른 한빛 참 좋은 맑은 예쁜 착한 행복한 건강한 신선한 서울 부산 대구 인천 제주 강남 명동 홍대 한강 남산 달빛 별빛 "
    "꽃길 봄날 여름 가을 겨울 오늘 내일 매일 하루 모두의 나의 너와나 빵굽는 쑥쑥 뚝딱 까꿍 씨앗 꿀벌"
).split()
MIDDLES = (
    "마켓 푸드 뷰티 패션 키즈 베이비 리빙 홈 테크 디지털 북스 트래블 투어 헬스 피트니스 펫 가든 커피 베이커리 치킨 피자 농장 수산 한우 과일 화장품 "
    "가구 침구 문구 완구 악기 캠핑 낚시 골프 등산 자전거 안경 시계 주얼리 슈즈 가방 언더웨어 스포츠 전자 컴퓨터 모바일 카메라 영화 공연 렌탈 보험 은행 카드 증권 교육"
).split()
ENDINGS = "몰 샵 스토어 마트 코리아 하우스 클럽 랜드 플러스 월드 타운 센터 닷컴 24 365 직구 나라 천국 상회 백화점".split()
ROMAN = "ga na da ra ma ba sa a ja cha ka ta pa ha go no do ro mo bo so o jo ko to po ho gu nu du ru mu bu su".split()
CATEGORIES = "food mall culture travel electronics infant health fashion beauty finance living education etc".split()
COLUMNS = (
    "business_id,name,aliases,category,image_url,url,program_name,display_allowed_cases,display_caution,active,"
    "target,starts_at,ends_at,commission_type,commission_amount,commission_unit"
).split(",")


def shops(count):
    """(id, name, aliases, category) of each."""
    chance = random.Random(20261129)
    ids = set()
    made = []
    while len(made) < count:
        words = [chance.choice(BEGINNINGS), chance.choice(MIDDLES), chance.choice(ENDINGS)]
        roman = "".join(chance.choices(ROMAN, k=chance.randint(3, 6)))
        identifier = roman + chance.choice(["", "", "mall", "_shop", str(chance.randint(1, 999))])
        if identifier in ids:
            continue
        ids.add(identifier)
        name = chance.choice(["{0}{1}", "{0} {1}", "{0} {1}{2}", "{0}{1} {2}", "{0}{2}"]).format(*words)
        if chance.random() < 0.1:
            name = f"{roman.upper()} {name}"
        made.append((identifier, name, [roman, words[0] + words[2]], chance.choice(CATEGORIES)))
    return made


def write_catalog(path, made):
    """Writes a file for `launchlink catalog import`."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        for identifier, name, aliases, category in made:
            out.writerow([
                identifier, name, "|".join(aliases), category, f"https://cdn.example/{identifier}.png",
                f"https://{identifier.replace('_', '-')}.example/", f"{name} 캐시백", "앱과 웹에서 결제한 주문",
                "상품권, 순금, 배송비는 제외됩니다.\n취소한 주문에는 지급되지 않습니다.", "true", "전체 상품",
                "2026-01-01T00:00:00Z", "", "CPS", "2.5", "PERCENTAGE_COMMISSION_UNIT",
            ])
